"""Options of library functions, for editors and type checkers: written by docs/tools/generate.py."""
from collections.abc import Sequence
from typing import Literal, TypedDict


class SearchKeywords(TypedDict, total=False):
    threads: int | None
    seed: int | None
    rollout: Literal["uniform", "mogo", "none"] | None
    rollouts: int | None
    lambda_: float | None
    c: float | None
    cpuct_exploration_log: float | None
    cpuct_exploration_base: float | None
    fpu: float | None
    fpu_reduction_max: float | None
    root_fpu_reduction_max: float | None
    root_policy_temperature: float | None
    root_symmetry_pruning: bool | None
    dynamic_score_utility_factor: float | None
    max_pass_prior: float | None
    unsettled_prior: float | None
    dirichlet_weight: float | None
    dirichlet_alpha: float | None
    batch: int | None
    rave: bool | None
    rave_bias: float | None
    heuristic_priors: bool | None
    expand_after: int | None
    lcb_stdevs: float | None
    min_visit_prop_for_lcb: float | None
    max_edges: int | None
    reuse_tree: bool | None
    early_stop: bool | None


class PlayerKeywords(SearchKeywords, total=False):
    precision: Literal["auto", "int8", "float32"] | None
    provider: Literal["cpu", "cuda", "openvino", "coreml", "directml"] | None
    rank: str | int | None
    style: int | None
    human_profile: str | int | None
    temperature: float | None
    simulations: int | None
    visits: int | None
    seconds: float | None
    select_by: Literal["visits", "value", "lcb"] | None
    human_move_prop: float | None
    dynamic_komi: bool | None
    resign: float | None
    resign_moves: int | None


class PreprocessKeywords(TypedDict, total=False):
    where: str | int | None
    min_moves: int | None
    scheduler: str | int | None
    seed: int | None
    validation: float | None
    test: float | None


class TrainKeywords(TypedDict, total=False):
    epochs: float | None
    minutes: float | None
    model: str | int | None
    resume: bool | None
    init_from: str | int | None
    devices: int | None
    distributed: bool | None
    coordinator_address: str | int | None
    num_processes: int | None
    process_id: int | None
    size: int | None
    filters: int | None
    layers: int | None
    residual_blocks: int | None
    batch_norm: bool | None
    residual: bool | None
    global_pooling: bool | None
    metadata_encoder: bool | None
    policy_filters: int | None
    policy_context: bool | None
    context_filters: int | None
    context_layers: int | None
    chain_pooling: bool | None
    value_head: bool | None
    komi_input: bool | None
    auxiliary_heads: bool | None
    equivariant: bool | None
    point_bias: bool | None
    batch_size: int | None
    optimizer: Literal["muon", "adam"] | None
    learning_rate: float | None
    clip_norm: float | None
    warmup_steps: int | None
    decay_start: float | None
    final_lr_fraction: float | None
    augment: bool | None
    value_weight: float | None
    ownership_weight: float | None
    score_weight: float | None
    auxiliary_weight: float | None
    checkpoint_every: float | None
    checkpoint_positions: int | None
    keep_checkpoint_every: int | None
    validation_positions: int | None
    where: str | int | None
    sample_weight: str | int | None
    moves: str | int | None
    endgame_fraction: float | None
    teacher: str | int | None
    teacher_weight: float | None
    people_dropout: float | None
    freeze_policy: bool | None
    freeze_network: bool | None
    seed: int | None
    precision: Literal["auto", "float32", "mixed_bfloat16"] | None


class EvaluateKeywords(TypedDict, total=False):
    split: Literal["train", "validation", "test", "all"] | None
    where: str | int | None
    size: int | None
    sample: int | None
    symmetries: bool | None
    people: str | int | None
    seed: int | None
    precision: Literal["auto", "int8", "float32"] | Sequence[Literal["auto", "int8", "float32"]] | None


class MatchKeywords(TypedDict, total=False):
    sprt: float | Sequence[float] | None
    jobs: int | None
    scheduler: str | int | None
    gauntlet: bool | None
    alternate: bool | None
    seed: int | None
    openings: str | int | None
    opening_moves: int | None
    time: str | int | None
    move_timeout: float | None
    max_moves: int | None
    ko: Literal["superko", "simple"] | None
    game: Literal["go", "gomoku"] | None
    size: str | int | None
    k: int | None
    exactly: bool | None
    komi: float | None
    rules: str | int | None
    handicap: int | None
