"""The section `sandbox`: what it costs to start a child in each profile."""
import os
import subprocess
import tempfile

from common import TOOLS, TREFOIL, fields, row

STARTS, TARGET_MS = 50, 5


def measure(_folder):
    """Medians; the reference is the keeper alone. The root is not below /tmp, like most."""
    with tempfile.TemporaryDirectory(prefix="sandbox-", dir=os.getcwd()) as root:
        out = subprocess.run([TOOLS / "sandbox_bench", TREFOIL, root, str(STARTS)], check=True,
                             capture_output=True, text=True).stdout
    ms = fields(out)
    for profile in ("read-only", "workspace", "network", "server", "agent"):
        more = ms[profile] - ms["off"]
        row(f"start a child, {profile}", f"{ms[profile]:.1f} ms", f"{ms['off']:.1f} ms",
            f"+{more:.1f} ms", f"+{TARGET_MS} ms", more <= TARGET_MS)
