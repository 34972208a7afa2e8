#!/usr/bin/env python3
"""trefoil sandbox: what works inside, what is refused, and what a lesser kernel leads to.

usage: test_sandbox.py TREFOIL ATTACKS REFUSE
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

from harness import case, equal, has, main, needs_namespaces, wait_for
from sandbox_place import REFUSE, TREFOIL, Place, write

GIT = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
       "GIT_COMMITTER_EMAIL": "a@b"}
NO_NAMESPACES = [REFUSE, "namespaces", "--"]


def in_place(function):
    """Give the case a place of its own instead of a folder below /tmp."""
    def run(_folder):
        place = Place(os.getuid())
        try:
            function(place)
        finally:
            place.close()
    run.__name__ = function.__name__
    return case(run)


def succeeds(done):
    if done.returncode:
        raise AssertionError(f"code {done.returncode}: {done.stdout}\n{done.stderr}")
    return done.stdout


def new_repository(place):
    shutil.rmtree(place.root / ".git")
    host(place, "git", "init", "-q", "-b", "main")
    host(place, "git", "add", "plain")
    host(place, "git", "commit", "-q", "-m", "first")


class Waiting:
    """A sandbox whose command runs until it is told to end."""

    def __init__(self, place, *command, env=None, stderr=None):
        command = command or ("sh", "-c", "echo ready; read line")
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(
            [TREFOIL, "sandbox", "--root", place.root, "--", *command], cwd=place.root, text=True,
            env=env or place.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
        equal(self.process.stdout.readline(), "ready\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def keeper(self):
        pid = self.process.pid
        return int(pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])

    def end(self):
        if self.process.poll() is None:
            self.process.communicate("end\n", timeout=60)


def host(place, *command, cwd=None):
    subprocess.run(command, cwd=cwd or place.root, check=True, capture_output=True,
                   env={**place.environment(), **GIT})


# ---- the verb -----------------------------------------------------------------------------------

@in_place
def the_exit_code_is_that_of_the_command(place):
    for code in (0, 1, 3, 126):
        equal(place.run("workspace", "sh", "-c", f"exit {code}").returncode, code)
    equal(place.run("workspace", "sh", "-c", "kill -9 $$").returncode, 128 + 9)


@in_place
def a_command_that_does_not_exist_is_named(place):
    done = place.run("workspace", "no-such-command")
    equal(done.returncode, 127)
    has(done.stderr, "no-such-command: No such file or directory")


@in_place
def stdin_and_stdout_are_the_callers(place):
    done = place.run("workspace", "cat", input="hello")
    equal((done.stdout, done.returncode), ("hello", 0))


@in_place
def it_starts_in_the_callers_folder(place):
    folder = place.root / "a"
    folder.mkdir()
    equal(succeeds(place.run("workspace", "pwd", cwd=folder)).strip(), str(folder))


@in_place
def it_starts_in_the_root_if_the_callers_folder_is_outside(place):
    equal(succeeds(place.run("workspace", "pwd", cwd=place.outside)).strip(), str(place.root))


@case
def everything_may_lie_below_tmp(folder):
    """Hidden folders in a home folder that lies in a cover, and a private folder in one of them."""
    root, home = folder / "root", folder / "home"
    private = home / ".local/state/trefoil/private"
    for place in (root, private, home / ".ssh"):
        place.mkdir(parents=True)
    write(home / ".ssh/id_rsa", "the secret")
    write(home / "plain", "open")
    done = subprocess.run(
        [TREFOIL, "sandbox", "--profile", "agent", "--private", str(private), "--root", str(root),
         "--", "sh", "-c", f"cat {home}/plain; cat {home}/.ssh/id_rsa; ls {private.parent}; echo x > x; "
         f"echo y > {private}/y; ls {folder}"], capture_output=True, text=True, check=False, cwd=root,
        env={"PATH": os.environ["PATH"], "HOME": str(home)})
    equal(done.stdout, "openprivate\nhome\nroot\n")
    equal(((root / "x").read_text(), (private / "y").read_text()), ("x\n", "y\n"))


@case
@needs_namespaces
def what_lies_beside_the_root_below_tmp_is_read_only(folder):
    """In a folder that exists only in the sandbox, a file would be lost without a word."""
    root = folder / "a/root"
    root.mkdir(parents=True)
    script = "echo x > ../x; echo x > ../../x; mkdir ../b; echo x > /tmp/x && echo x > in && ls .. ../.."
    done = subprocess.run([TREFOIL, "sandbox", "--root", root, "--", "sh", "-c", script],
                          capture_output=True, text=True, check=False, cwd=root,
                          env={"PATH": os.environ["PATH"], "HOME": str(folder / "home")})
    equal(done.stderr.count("Read-only file system"), 3)
    equal(done.stdout, "..:\nroot\n\n../..:\na\n")
    equal((root / "in").read_text(), "x\n")


@in_place
@needs_namespaces
def a_private_folder_in_the_hidden_state_is_the_home_of_an_agent(place):
    private = place.state / "private"
    private.mkdir()
    script = "cd && pwd && echo x > .login && ls -A . .. && ! cat ../secret && ! echo x > ../new"
    done = place.run("agent", "sh", "-ec", script, options=["--private", str(private)])
    equal(succeeds(done).split(), [str(private), ".:", ".login", "..:", "private"])
    equal((private / ".login").read_text(), "x\n")
    done = place.run("server", "sh", "-c", "echo $npm_config_cache; echo x > $XDG_CACHE_HOME/x",
                     options=["--private", str(private)])
    equal(done.stdout.strip(), str(private / ".npm"))


class Agent:
    """A program with credentials in a home folder of its own."""

    def __init__(self, place):
        self.place, self.private = place, place.state / "private"
        self.private.mkdir()
        self.users = write(place.home / ".codex/auth.json", "token 1")

    def command(self, *command, name=".codex/auth.json"):
        return [TREFOIL, "sandbox", "--root", self.place.root, "--profile", "agent", "--private",
                self.private, "--credentials", name, "--", *command]

    def run(self, script, **more):
        return subprocess.run(self.command("sh", "-c", script, **more), cwd=self.place.root, check=False,
                              env=self.place.environment(), capture_output=True, text=True)


@in_place
def credentials_are_copied_in_and_a_refreshed_token_back(place):
    agent = Agent(place)
    script = f"cat ~/.codex/auth.json; cat {place.home}/.codex/auth.json; echo token 2 > ~/.codex/auth.json"
    equal(agent.run(script).stdout, "token 1")  # the user's own file is hidden
    equal((agent.users.read_text(), agent.users.stat().st_mode & 0o777), ("token 2\n", 0o644))
    agent.run("rm ~/.codex/auth.json")
    equal(agent.run("cat ~/.codex/auth.json").stdout, "token 2\n")
    agent.run("rm ~/.codex/auth.json; ln -s /etc/hostname ~/.codex/auth.json")
    agent.run("rm -r ~/.codex; mkdir -p ~/.codex/auth.json")
    equal(agent.users.read_text(), "token 2\n")


@in_place
def of_two_refreshed_tokens_the_users_stays(place):
    agent = Agent(place)
    with subprocess.Popen(agent.command("sh", "-c", "echo agent > ~/.codex/auth.json; echo ready; read line"),
                          cwd=place.root, env=place.environment(), text=True, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        equal(process.stdout.readline(), "ready\n")
        agent.users.write_text("user")
        said = process.communicate("end\n", timeout=60)[1]
    has(said, "has changed since it was copied for the program")
    equal(agent.users.read_text(), "user")
    equal(agent.run("cat ~/.codex/auth.json").stdout, "user")


@in_place
def a_refreshed_token_survives_a_killed_trefoil(place):
    agent = Agent(place)
    with subprocess.Popen(agent.command("sh", "-c", "echo new > ~/.codex/auth.json; echo ready; exec sleep 1000"),
                          cwd=place.root, env=place.environment(), text=True,
                          stdout=subprocess.PIPE) as process:
        equal(process.stdout.readline(), "ready\n")
        process.kill()
        equal(process.stdout.read(), "")
    equal(agent.users.read_text(), "token 1")
    equal(agent.run("cat ~/.codex/auth.json").stdout, "new\n")
    equal(agent.users.read_text(), "new\n")


@in_place
def names_of_credentials_are_checked(place):
    agent = Agent(place)
    for name in ("/etc/shadow", "../state/secret", ".codex/../../x", ""):
        done = agent.run("true", name=name)
        equal(done.returncode, 2)
        has(done.stderr, "expected the path of a file below the home folder")
    done = agent.run("echo started", name=".missing")
    equal((done.returncode, done.stdout), (0, "started\n"))
    done = place.run("workspace", "true", options=["--credentials", ".codex/auth.json"])
    equal(done.returncode, 2)
    has(done.stderr, "--credentials needs --profile agent")


@in_place
def secrets_that_variables_name_are_hidden(place):
    config, kube, more, gpg = (place.outside / name for name in ("config", "kube", "more", "gpg"))
    for file in (config / "gh/hosts.yml", kube, more, gpg / "key", config / "plain", place.root / "netrc"):
        write(file, "SECRET\n")
    env = {"XDG_CONFIG_HOME": str(config), "KUBECONFIG": f"{kube}:{more}:/nowhere", "GNUPGHOME": str(gpg),
           "HISTFILE": "/dev/null", "NETRC": str(place.root / "netrc"), "DOCKER_CONFIG": str(place.base),
           "CARGO_HOME": str(place.home)}
    script = (f"cat {config}/gh/hosts.yml {kube} {more} {gpg}/key 2>/dev/null; echo x >/dev/null && "
              f"cat {config}/plain netrc; ls {place.home}/.bashrc")
    for before in ([], NO_NAMESPACES):
        done = place.run("workspace", "sh", "-c", script, env=env, before=before)
        equal(succeeds(done), f"SECRET\nSECRET\n{place.home}/.bashrc\n")


@in_place
def the_home_folder_is_visible_below_a_covered_folder(place):
    home = pathlib.Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True,
                                       check=True).stdout.strip())
    try:
        write(home / ".ssh/id_rsa")
        write(home / ".profile", "seen")
        script = "cat ~/.profile; ! cat ~/.ssh/id_rsa && ! echo x > ~/new"
        for before in ([], NO_NAMESPACES):
            done = place.run("workspace", "sh", "-c", script, env={"HOME": str(home)},
                             before=before)
            equal(succeeds(done), "seen")
        assert not (home / "new").exists()
    finally:
        shutil.rmtree(home)


@in_place
@needs_namespaces
def a_sandbox_can_run_in_a_sandbox(place):
    shutil.copy(TREFOIL, place.root / "trefoil")
    done = place.run("workspace", "./trefoil", "sandbox", "--root", str(place.root), "--", "sh", "-c",
                     "echo x > in && ! echo x > ../outside/new")
    succeeds(done)
    has(done.stderr, "sandbox: reduced")


@in_place
def signals_reach_the_command(place):
    script = "trap 'echo got; exit 7' TERM; echo ready; while :; do sleep 0.01; done"
    with subprocess.Popen([TREFOIL, "sandbox", "--root", place.root, "--", "sh", "-c", script],
                          cwd=place.root, env=place.environment(), text=True,
                          stdout=subprocess.PIPE) as process:
        equal(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGTERM)
        equal(process.stdout.read(), "got\n")
    equal(process.returncode, 7)


@in_place
def nothing_outlives_the_command(place):
    script = "setsid sh -c 'echo $$ > started; exec sleep 1000' & while ! test -s started; do :; done"
    succeeds(place.run("workspace", "sh", "-c", script))
    name = str(place.root).encode()
    wait_for("the daemon's end", lambda: not [
        pid for pid in filter(str.isdigit, os.listdir("/proc"))
        if in_folder(pid, name) and int(pid) != os.getpid()])


def in_folder(pid, name):
    try:
        return os.readlink(f"/proc/{pid}/cwd").encode() == name
    except OSError:
        return False


@in_place
def nothing_outlives_a_killed_trefoil(place):
    script = "setsid sh -c 'exec sleep 1000' & echo ready; exec sleep 1000"
    with subprocess.Popen([TREFOIL, "sandbox", "--root", place.root, "--", "sh", "-c", script],
                          cwd=place.root, env=place.environment(), text=True,
                          stdout=subprocess.PIPE) as process:
        equal(process.stdout.readline(), "ready\n")
        process.kill()
        equal(process.stdout.read(), "")  # all that held the pipe are gone


@in_place
@needs_namespaces
def a_daemon_that_starts_later_is_hidden_as_well(place):
    """Its socket's folder did not exist when the sandbox was made."""
    (place.base / "run").mkdir(mode=0o700)
    for folder, env in (place.base / "run/trefoil", {"XDG_RUNTIME_DIR": str(place.base / "run")}), (
            place.base / "new/state", {"TREFOIL_STATE_DIR": str(place.base / "new/state")}):
        script = (f"import os, socket; input(); name = os.listdir('{folder}')[0]; "
                  f"socket.socket(socket.AF_UNIX).connect('{folder}/' + name)")
        env = {**place.environment(), **env}
        with Waiting(place, "/usr/bin/python3", "-c", f"print('ready', flush=True); {script}",
                     env=env, stderr=subprocess.PIPE) as inside, \
                subprocess.Popen([TREFOIL, "serve", "--listen", "127.0.0.1:0", "--root", place.root],
                                 env=env, stdout=subprocess.DEVNULL) as daemon:
            try:
                wait_for("the daemon's socket", lambda: list(folder.glob("*.sock")))
                said = inside.process.communicate("go\n", timeout=60)[1]
                has(said, "IndexError")  # the folder is empty
            finally:
                daemon.terminate()


@in_place
def an_unknown_profile_and_a_wrong_port_are_usage_errors(place):
    done = place.run("wide", "true")
    equal(done.returncode, 2)
    has(done.stderr, "--profile wide: expected read-only, workspace")
    done = place.run("network", "true", options=["--connect", "http"])
    equal(done.returncode, 2)
    has(done.stderr, "--connect http: expected a port")


# ---- roots that are refused ---------------------------------------------------------------------

def refused(place, root, sentence, **env):
    for before in ([], NO_NAMESPACES):
        done = subprocess.run([*before, TREFOIL, "sandbox", "--root", root, "--", "true"],
                              env={**place.environment(), **env}, capture_output=True, text=True,
                              check=False, cwd=place.root)
        equal(done.returncode, 1)
        has(done.stderr, sentence)


@in_place
def a_root_above_the_home_folder_is_refused(place):
    refused(place, place.base, "contains the home folder")


@in_place
def a_root_above_or_in_the_state_folder_is_refused(place):
    above = place.base / "above"
    state = write(above / "state/x").parent
    (state / "roots/in").mkdir(parents=True)
    refused(place, above, "contains", TREFOIL_STATE_DIR=str(state))
    refused(place, state / "roots/in", "which the sandbox hides", TREFOIL_STATE_DIR=str(state))


@in_place
@needs_namespaces
def the_root_in_the_state_sees_nothing_else_of_it(place):
    """It is used instead of the home folder."""
    for before in ([], NO_NAMESPACES):
        done = subprocess.run([*before, TREFOIL, "sandbox", "--", "sh", "-c", "pwd; cat ../secret; echo x > in"],
                              env=place.environment(), capture_output=True, text=True, check=True,
                              cwd=place.home)
        equal(done.stdout, f"{place.state}/root\n")
    done = subprocess.run([TREFOIL, "sandbox", "--", "ls", "-A", ".."], env=place.environment(),
                          capture_output=True, text=True, check=True, cwd=place.home)
    equal(done.stdout, "root\n")


@in_place
def a_system_folder_is_refused_as_root(place):
    refused(place, "/usr", "system folder /usr")
    refused(place, "/etc", "system folder /etc")
    refused(place, "/home", "system folder /home")


# ---- the ladder ---------------------------------------------------------------------------------

@in_place
def without_namespaces_the_sandbox_is_reduced_and_says_so(place):
    done = place.run("workspace", "sh", "-c", "echo x > in && ! echo x > ../outside/new",
                     before=NO_NAMESPACES)
    equal(done.returncode, 0)
    has(done.stderr, "sandbox: reduced; missing: namespaces")


@in_place
def where_landlock_can_hide_nothing_nothing_starts(place):
    """In a chroot there are no namespaces. This one lies, by another way, in a folder that is readable."""
    inside = place.base / "readable/chroot"
    inside.mkdir(parents=True)
    enter = ["unshare", "-rm", "--propagation", "private", "sh", "-ec",
             'mount --rbind / "$0"; exec chroot "$0" "$@"', str(inside)]
    if subprocess.run([*enter, "true"], capture_output=True, check=False).returncode:
        return  # this machine has no namespaces anyway
    for options, code, output in ([], 1, ""), (["--best-effort"], 0, "the secret"):
        done = place.run("workspace", "cat", str(place.home / ".ssh/id_rsa"), before=enter, options=options)
        equal((done.returncode, done.stdout), (code, output))
        has(done.stderr, "reduced; missing: namespaces")
        equal("Landlock cannot hide" in done.stderr, code == 1)


@in_place
@needs_namespaces
def without_landlock_the_mounts_hold(place):
    before = [REFUSE, "landlock", "--"]
    done = place.run("workspace", "sh", "-c", "echo x > in && ! echo x > ../outside/new",
                     before=before)
    equal(done.returncode, 0)
    has(done.stderr, "mounts without Landlock; missing: Landlock")
    done = place.run("network", "true", before=before)
    equal(done.returncode, 1)
    has(done.stderr, "cannot limit the network to some TCP ports")


@in_place
@needs_namespaces
def without_a_network_namespace_internet_sockets_are_refused(place):
    script = "import socket; socket.socket(socket.AF_UNIX); socket.socket()"
    done = place.run("workspace", "/usr/bin/python3", "-c", script, before=[REFUSE, "netns", "--"])
    has(done.stderr, "full without a network namespace")
    has(done.stderr, "Address family not supported")
    equal(done.returncode, 1)


@in_place
def without_both_nothing_starts_unless_best_effort(place):
    before = [REFUSE, "namespaces", "landlock", "--"]
    done = place.run("workspace", "echo", "started", before=before)
    equal((done.returncode, done.stdout), (1, ""))
    has(done.stderr, "cannot confine files, which sandbox profile workspace needs; missing: "
                     "Landlock, namespaces")
    done = place.run("workspace", "echo", "started", before=before, options=["--best-effort"])
    equal((done.returncode, done.stdout), (0, "started\n"))
    has(done.stderr, "sandbox: none; missing: Landlock, namespaces")


@in_place
def the_reduced_sandbox_has_a_temporary_folder_that_is_removed(place):
    done = place.run("workspace", "sh", "-c", "mkdir $TMPDIR/a; echo x > $TMPDIR/a/x; echo $TMPDIR",
                     before=NO_NAMESPACES)
    folder = succeeds(done).strip()
    has(folder, "trefoil-sandbox-")
    assert not os.path.exists(folder)


@in_place
def doctor_shows_what_the_kernel_gives(place):
    def doctor(*before):
        done = subprocess.run([*before, TREFOIL, "doctor", "--json", "--root", place.root],
                              env=place.environment(), capture_output=True, text=True, check=False)
        return {row["check"]: row for row in json.loads(done.stdout)}["sandbox"]

    row = doctor(REFUSE, "namespaces", "landlock", "--")
    equal(row["health"], "bad")
    has(row["text"], "Landlock, namespaces")
    row = doctor(REFUSE, "namespaces", "--")
    equal(row["health"], "note")
    has(row["text"], "reduced; missing: namespaces")
    has(doctor()["text"], "Landlock ABI")


# ---- what works inside --------------------------------------------------------------------------

@in_place
def git_commits_in_workspace_but_not_in_read_only(place):
    new_repository(place)
    script = "echo more >> plain && git status --short && git commit -qam second && git log --oneline"
    log = succeeds(place.run("workspace", "sh", "-ec", script, env=GIT))
    has(log, " M plain")
    has(log, "second")
    equal(succeeds(place.run("read-only", "git", "status", "--short")), succeeds(
        place.run("off", "git", "status", "--short")))
    assert place.run("read-only", "git", "commit", "--allow-empty", "-qm", "x",
                     env=GIT).returncode


@in_place
@needs_namespaces
def git_commits_in_a_linked_worktree(place):
    new_repository(place)
    host(place, "git", "worktree", "add", "-q", str(place.base / "tree"))
    main_git = place.root / ".git"
    place.root = place.base / "tree"
    succeeds(place.run("workspace", "git", "commit", "--allow-empty", "-qm", "second", env=GIT))
    done = place.run("workspace", "sh", "-c", f"echo x > {main_git}/hooks/post-commit")
    assert done.returncode
    assert not (main_git / "hooks/post-commit").exists()


def placeholders(place):
    return [name for name in ("commondir", "config.worktree") if (place.root / ".git" / name).exists()]


@in_place
@needs_namespaces
def no_file_brings_git_another_configuration(place):
    """git runs what core.fsmonitor names. Two files that do not exist yet could lead git to one."""
    new_repository(place)
    host(place, "git", "config", "extensions.worktreeConfig", "true")
    evil = f'[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch {place.base}/ran; false"\n'
    write(place.root / "evil/config", evil)
    script = ("cp -r .git/HEAD .git/refs .git/objects evil; echo ../evil > .git/commondir; "
              "cp evil/config .git/config.worktree; mv -f evil/config .git/config.worktree")
    assert place.run("workspace", "sh", "-c", script).returncode
    host(place, "git", "status")
    equal(((place.base / "ran").exists(), placeholders(place)), (False, []))


@in_place
@needs_namespaces
def git_works_while_a_sandbox_runs_and_nothing_is_left(place):
    new_repository(place)
    with Waiting(place) as first, Waiting(place) as second:
        equal(placeholders(place), ["commondir", "config.worktree"])
        host(place, "git", "worktree", "add", "-q", str(place.base / "tree"))
        host(place, "git", "commit", "--allow-empty", "-qm", "second")
        host(place, "git", "gc", "-q")
        first.end()
        equal(placeholders(place), ["commondir", "config.worktree"])
        second.end()
        wait_for("the end of the placeholders", lambda: not placeholders(place))
    with Waiting(place) as third:
        keeper = third.keeper()
        os.kill(keeper, signal.SIGKILL)
        third.process.wait(timeout=60)
    equal(placeholders(place), ["commondir", "config.worktree"])
    succeeds(place.run("workspace", "true"))
    equal(placeholders(place), [])


@in_place
@needs_namespaces
def a_worktree_configuration_of_the_user_stays(place):
    new_repository(place)
    write(place.root / ".git/config.worktree", "")
    assert place.run("workspace", "sh", "-c", "echo x > .git/config.worktree").returncode
    equal((place.root / ".git/config.worktree").read_text(), "")


@in_place
def a_git_file_that_names_a_folder_of_others_opens_nothing(place):
    shutil.rmtree(place.root / ".git")
    write(place.outside / "HEAD")
    write(place.root / ".git", f"gitdir: {place.outside}\n")
    assert place.run("workspace", "sh", "-c", f"echo x > {place.outside}/new").returncode


@in_place
def compilers_and_make_work(place):
    write(place.root / "leak.c", "#include <stdlib.h>\nint main(void) { return !malloc(1); }\n")
    write(place.root / "Makefile", "leak: leak.c\n\tgcc -fsanitize=address,leak leak.c -o leak\n")
    succeeds(place.run("workspace", "make", "-s"))
    done = place.run("workspace", "./leak", env={"ASAN_OPTIONS": "detect_leaks=1"})
    has(done.stderr, "LeakSanitizer: detected memory leaks")


@in_place
@needs_namespaces
def python_processes_share_locks(place):
    write(place.root / "many.py", "import multiprocessing as m\n"
          "def f(x): return x * x\n"
          "if __name__ == '__main__':\n"
          "    with m.Pool(2) as p, m.Manager() as s:\n"
          "        print(p.map(f, [1, 2, 3]), list(s.list([4])))\n")
    for profile in ("read-only", "workspace", "network"):
        equal(succeeds(place.run(profile, "/usr/bin/python3", "many.py")), "[1, 4, 9] [4]\n")


@in_place
@needs_namespaces
def node_serves_itself_and_npm_fails_at_once(place):
    if not shutil.which("node"):
        return
    script = ("require('net').createServer(c => c.end('hi')).listen(0, '127.0.0.1', function () {"
              "require('net').connect(this.address().port).on('data', d => {"
              "console.log(String(d)); process.exit() }) })")
    equal(succeeds(place.run("workspace", "node", "-e", script)), "hi\n")
    start = time.monotonic()
    done = place.run("workspace", "npm", "view", "left-pad", env={"npm_config_userconfig": "/x"})
    assert done.returncode, done.stdout
    assert time.monotonic() - start < 45  # it would try again for 70 seconds


@in_place
@needs_namespaces
def the_temporary_folder_is_private_and_empty(place):
    equal(succeeds(place.run("workspace", "sh", "-c", "ls -A /tmp; echo x > /tmp/x; cat /tmp/x")),
          "x\n")


@in_place
@needs_namespaces
def a_root_below_tmp_works(place):
    folder = pathlib.Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True,
                                         check=True).stdout.strip())
    try:
        place.root = folder
        equal(succeeds(place.run("workspace", "sh", "-c", "echo x > in; ls /tmp")),
              folder.name + "\n")
        equal((folder / "in").read_text(), "x\n")
    finally:
        shutil.rmtree(folder)


@in_place
def the_environment_names_no_sockets_of_the_session(place):
    env = {"SSH_AUTH_SOCK": "/x", "DBUS_SESSION_BUS_ADDRESS": "/x", "TMUX": "/x", "KEPT": "yes"}
    lines = succeeds(place.run("workspace", "env", env=env)).splitlines()
    names = {line.partition("=")[0] for line in lines}
    equal(names & set(env), {"KEPT"})
    assert "npm_config_offline=true" in lines


main()
