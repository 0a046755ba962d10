"""Which folders the wheel takes; everything else is said in pyproject.toml.

The app's files stay at the top of the repository, where `streamlit run app.py` finds them, and
travel as the package `wgnn_explorer_app`, from which `wgnn app` serves them.
"""

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

APP = "wgnn_explorer_app"


class WithoutThisFile(build_py):
    """The top of the repository is a package here, and this file lies beside app.py."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        found = super().find_package_modules(package, package_dir)
        return [module for module in found if module[1] != "setup"]


setup(
    packages=[*find_packages(include=["wgnn_core*"]), APP, f"{APP}.pages", f"{APP}.ui"],
    package_dir={APP: ".", f"{APP}.pages": "pages", f"{APP}.ui": "ui"},
    package_data={
        "wgnn_core": [
            "py.typed",
            "datasets/checksums.txt",
            "studies/*.json",
            "studies/results/*.json",
        ],
        APP: [".streamlit/config.toml"],
    },
    cmdclass={"build_py": WithoutThisFile},
)
