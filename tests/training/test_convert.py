"""mugo convert: a network as a file of ONNX, whose outputs are those of the network."""
import json
from pathlib import Path

import numpy as np
import pytest
from networks import policy_file, random_positions

from mugo.cli import main as cli
from mugo.games import planes
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.inference import Network
from mugo.games.planes import connected_components
from mugo.nn.inputs import POINT_BIAS


def test_an_onnx_file_is_right_for_the_package_onnx_and_computes_what_the_network_does(tmp_path):
    onnx, onnxruntime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    path = policy_file(tmp_path, value_head=True, komi_input=True, chain_pooling=True, quantized=True)
    assert cli.main(["convert", str(path), str(tmp_path / "net.onnx")]) == 0
    model = onnx.load(tmp_path / "net.onnx")
    onnx.checker.check_model(model, full_check=True)
    assert model.producer_name == "MuGo"
    page = (Path(__file__).parents[2] / "docs/reference/network-file.md").read_text(encoding="utf-8")
    for value in [*model.graph.input, *model.graph.output]:
        assert f"`{value.name}`" in page
    session = onnxruntime.InferenceSession(tmp_path / "net.onnx")
    bias = np.array(json.loads(session.get_modelmeta().custom_metadata_map[POINT_BIAS]), np.float32)
    config = PolicyNetConfig(9, 4, value_head=True, komi_input=True)
    network, (packed, features, *_) = Network(path, 1, "float32"), random_positions(3, config)
    given = {"planes": planes.unpack(packed, planes.DEPTH, (9, 9)), POINT_BIAS: bias, "global_features": features,
             "components": connected_components(packed, 9).astype(np.int64)}
    outputs = dict(zip((output.name for output in session.get_outputs()), session.run(None, given), strict=True))
    expected = network.run(packed, features)
    assert outputs.keys() == expected.keys() == {"policy", "value", "ownership", "score_mean", "score_stdev"}
    assert all(np.allclose(outputs[name], expected[name], atol=1e-5) for name in expected)


def test_a_file_of_another_kind_is_refused_in_one_line(tmp_path, capsys):
    assert cli.main(["convert", "policy-9", str(tmp_path / "net.pt")]) == 2
    assert capsys.readouterr().err.endswith("net.pt: a network is converted to a file that ends in .onnx\n")
