"""A Kubernetes cluster inside a test: start it, move its clock, call faults, reset it.

Standard library only. Pytest finds the fixture `cluster` by `pytest_plugins = ["kintsugi_testing"]`.
"""

import http.client
import json
import os
import selectors
import shlex
import ssl
import subprocess
import threading
import urllib.parse
import weakref
from contextlib import contextmanager

_START_SECONDS_MAX = 60
_ANSWER_SECONDS_MAX = 3600
_BASE = "/apis/kintsugi.dev/v1alpha1"


class ClusterError(Exception):
    """The server has refused a request; the message is its own sentence."""


class Cluster:
    """A test server that runs as long as this object exists: use it in a `with` block."""

    def __init__(self, nodes=3, clock="steered", flags=(), command=None):
        words = shlex.split(command or os.environ.get("KINTSUGI", "kintsugi"))
        arguments = ["test-server", "--json", "--with-parent", f"--nodes={nodes}", f"--clock={clock}", *flags]
        self._process = subprocess.Popen(
            [*words, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        line = self._process.stdout.readline()
        if not line.startswith("{"):
            self.stop()
            raise ClusterError(f"`{words[0]} test-server` ended before it was ready: see its words above")
        ready = json.loads(line)
        self.server = ready["server"]
        self.kubeconfig = ready["kubeconfig"]
        self._token = ready["token"]
        self._tls = ssl.create_default_context(cadata=ready["ca"])
        # Each thread keeps its connection: a new one costs more than most requests.
        self._kept = threading.local()
        self._connections = weakref.WeakSet()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends the server, which leaves nothing behind. Repeatable."""
        if self._process.stdin and not self._process.stdin.closed:
            self._process.stdin.close()
        self._process.wait(timeout=_START_SECONDS_MAX)
        self._process.stdout.close()
        for connection in list(self._connections):
            connection.close()

    def advance(self, duration, give_clients=None):
        """Moves the clock by a duration such as "10m", through everything that is due."""
        return self._post("clock", {"advance": duration, **_given(giveClients=give_clients)})["advance"]

    def advance_until(self, expression, resource, name, at_most, namespace="default", give_clients=None):
        """Moves the clock until the expression in CEL over `object` is true.

        Raises ClusterError when it is not within `at_most` of the cluster's time.
        """
        until = {"expression": expression, "resource": resource, "name": name, **_given(namespace=namespace)}
        body = {"until": until, "atMost": at_most, **_given(giveClients=give_clients)}
        answer = self._post("clock", body)["advance"]
        if not answer["reached"]:
            raise ClusterError(answer["message"])
        return answer

    def set_pace(self, pace):
        """Lets so many seconds of the cluster pass in each second; 0 lets its clock stand still."""
        return self._post("clock", {"pace": pace})["status"]

    def now(self):
        """The time of the cluster, as Kubernetes writes it."""
        return self._ask("GET", "clock")["status"]["now"]

    def call_fault(self, fault, target=None, settings=None, duration=None, seed=1):
        """Calls a fault and returns its name, by which `undo` ends it."""
        body = {"fault": fault, "seed": seed, "with": settings or {}, **_given(target=target)}
        if duration is not None:
            body["for"] = duration
        return self._post("faults", body)["metadata"]["name"]

    def undo(self, name):
        self._ask("DELETE", f"faults/{name}")

    @contextmanager
    def fault(self, *args, **kwargs):
        """The same as `call_fault`, for a `with` block at whose end the fault is undone."""
        name = self.call_fault(*args, **kwargs)
        try:
            yield name
        finally:
            self.undo(name)

    def mark(self, name=None):
        """Remembers all objects, and returns the name of the mark."""
        return self._post("marks", _given(name=name))["metadata"]["name"]

    def reset(self, mark):
        """Puts all objects back as they were at a mark, while clients stay connected."""
        return self._post("resets", {"mark": mark})["status"]

    def _post(self, path, body):
        return self._ask("POST", path, body)

    def _ask(self, method, path, body=None):
        connection = self._connection()
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        try:
            connection.request(method, f"{_BASE}/{path}", None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            answer = json.loads(response.read())
        except BaseException:
            # The rest of this answer must not be read as the next one.
            connection.close()
            raise
        if response.status >= 400:
            raise ClusterError(answer.get("message", f"the server answered {response.status}"))
        return answer

    def _connection(self):
        connection = getattr(self._kept, "connection", None)
        if connection is None:
            address = urllib.parse.urlsplit(self.server)
            connection = self._kept.connection = http.client.HTTPSConnection(
                address.hostname, address.port, timeout=_ANSWER_SECONDS_MAX, context=self._tls
            )
            self._connections.add(connection)
        # http.client connects again after close().
        if connection.sock is not None and _is_closed_by_server(connection.sock):
            connection.close()
        return connection


def _is_closed_by_server(socket):
    """Between two requests only the end of a connection can be read."""
    with selectors.DefaultSelector() as selector:
        selector.register(socket, selectors.EVENT_READ)
        return bool(selector.select(timeout=0))


def _given(**values):
    return {name: value for name, value in values.items() if value is not None}


try:
    import pytest
except ImportError:
    pass
else:

    @pytest.fixture(scope="session")
    def cluster_of_session():
        with Cluster() as cluster:
            cluster.start_mark = cluster.mark("start")
            yield cluster

    @pytest.fixture
    def cluster(cluster_of_session):
        """One cluster for all tests; each test begins with the objects of a new one, and no fault."""
        yield cluster_of_session
        cluster_of_session._ask("DELETE", "faults")
        cluster_of_session.reset(cluster_of_session.start_mark)
