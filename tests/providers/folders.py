"""Where the tests of a provider are."""

from pathlib import Path

from agentview import providers


def folder_of_tests(name: str) -> str:
    """The package with the tests of a provider, or of the family that it belongs to."""
    here = Path(providers.__path__[0])
    family = next((path.parent.name for path in here.glob(f"*/{name}") if path.is_dir()), name)
    return f"tests.providers.{family}"
