"""Look for known vulnerabilities in the packages of requirements-dev.txt and of this environment: pip-audit.

Exit status 1 for a vulnerability that .ci/vulnerabilities.toml does not name with a reason, and for a name there that
is no longer found.  Where the service cannot be reached, or does not know packages, this says so and is no error.
"""
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

CI = Path(__file__).parent
LOCK = CI.parent / "requirements-dev.txt"
UNREACHABLE = ("ConnectionError", "ProxyError", "SSLError", "Timeout", "Max retries exceeded", "HTTPError",
               "Could not connect", "Server Error")
SOURCES = {
    "requirements-dev.txt": ["--requirement", str(LOCK), "--disable-pip", "--require-hashes"],
    "this environment": ["--local", "--skip-editable"],
}


def accepted_vulnerabilities(path: Path) -> dict[str, str]:
    """{identifier: reason}.  Raises SystemExit for one without a reason."""
    accepted = tomllib.loads(path.read_text())
    for name, reason in accepted.items():
        if not isinstance(reason, str) or len(reason.split()) < 3:
            sys.exit(f"{path}: {name} has no reason")
    return accepted


def audit(arguments: list[str]) -> list[dict] | None:
    """The packages that pip-audit looked at; None if its service was not reached.  Raises SystemExit if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [os.environ.get("PIP_AUDIT", "pip-audit"), *arguments, "--format", "json", "--output", report,
                   "--progress-spinner", "off", "--timeout", "30"]
        done = subprocess.run(command, capture_output=True, text=True)
        if report.exists() and report.stat().st_size:
            return json.loads(report.read_text())["dependencies"]
    if any(text in done.stderr for text in UNREACHABLE):
        return None
    sys.exit(f"pip-audit failed with status {done.returncode}:\n{done.stderr}")


def describe(source: str, packages: list[dict], unknown: int) -> str:
    text = f"{source}: {len(packages) - unknown} packages audited"
    return text + (f"; NOT AUDITED: {unknown}, which the vulnerability service does not know" if unknown else "")


def main() -> int:
    accepted = accepted_vulnerabilities(CI / "vulnerabilities.toml")
    errors, used, complete = set(), set(), True
    for source, arguments in SOURCES.items():
        packages = audit(arguments)
        if packages is None:
            print(f"NOT AUDITED: {source}: the vulnerability service cannot be reached")
            complete = False
            continue
        packages = [each for each in packages if "editable" not in each.get("skip_reason", "")]      # MuGo itself
        unknown = sum("skip_reason" in package for package in packages)
        complete &= not unknown
        print(describe(source, packages, unknown))
        for package in packages:
            for vulnerability in package.get("vulns", []):
                fixed = ", ".join(vulnerability["fix_versions"]) or "no version"
                line = f"{package['name']} {package['version']}: {vulnerability['id']}, fixed in {fixed}"
                if listed := {vulnerability["id"], *vulnerability["aliases"]} & set(accepted):
                    used |= listed
                    print(f"  accepted: {line}: {accepted[min(listed)]}")
                else:
                    errors.add(f"  VULNERABLE: {line}")
    if complete:
        errors |= {f"  .ci/vulnerabilities.toml: {name} is no longer found: delete it" for name in set(accepted) - used}
    for error in sorted(errors):
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
