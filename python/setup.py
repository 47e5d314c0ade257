"""The wheel: `python3 setup.py -q bdist_wheel`, offline, with setuptools, wheel and protoc as Debian packages them.

The modules of the wire are made of ../proto while the package is built; nothing generated is kept in the repository.
"""

import pathlib
import subprocess

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parent / "proto"


class BuildWithStubs(build_py):
    """Adds what protoc makes of the proto files. `warpfarm.farm.v1` and the others become part of this package."""

    def run(self) -> None:
        super().run()
        target = pathlib.Path(self.build_lib)
        files = [str(path.relative_to(PROTO)) for path in sorted((PROTO / "warpfarm").rglob("*.proto"))]
        if not files:
            raise SystemExit(f"there are no proto files in {PROTO}: build the wheel inside the repository")
        plugin = "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin"
        outs = [f"--python_out={target}", f"--grpc_python_out={target}"]
        subprocess.run(["protoc", f"--proto_path={PROTO}", *outs, plugin, *files], check=True)
        for folder in {(target / name).parent for name in files}:
            for each in (folder, folder.parent):
                (each / "__init__.py").touch()


setup(
    name="warpfarm",
    version="0.1.0",
    description="Measures and tunes GPU kernels on a Warpfarm",
    license="Apache-2.0",
    python_requires=">=3.10",
    install_requires=["grpcio>=1.51", "protobuf>=3.20"],
    package_dir={"": "src"},
    packages=find_packages("src"),
    package_data={"warpfarm": ["py.typed"]},
    cmdclass={"build_py": BuildWithStubs},
)
