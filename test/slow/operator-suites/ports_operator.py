"""An operator with Kubernetes' Python client: it gives each claim a port of its own, by its status and a ConfigMap that the claim owns."""

import json
import threading

from kubernetes import client
from kubernetes.client.rest import ApiException

GROUP, VERSION, PLURAL, NAMESPACE = "net.example.com", "v1", "portclaims", "default"
FIRST_PORT, PORTS_MAX = 9000, 100
TABLE = "ports"


class PortsOperator:
    """`is_careful=False` plants the bug: it takes the port that a list shows as free, and lists may be stale."""

    def __init__(self, api_client, is_careful=True, pause_seconds=0.01):
        self._core = client.CoreV1Api(api_client)
        self._custom = client.CustomObjectsApi(api_client)
        self._is_careful = is_careful
        self._pause_seconds = pause_seconds
        # The answers of the server to failed calls, for a suite that counts them.
        self.failures = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self._thread.start()
        return self

    def stop(self):
        self._stop.set()
        self._thread.join()

    def _run(self):
        while not self._stop.wait(self._pause_seconds):
            try:
                for claim in self._claims():
                    self._reconcile(claim)
            except ApiException as error:
                # The next look begins with the state of then.
                self.failures.append(str(error.body))

    def _claims(self):
        # From the server's cache, as an informer lists at first.
        return self._custom.list_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, resource_version="0")["items"]

    def _reconcile(self, claim):
        name = claim["metadata"]["name"]
        port = claim.get("status", {}).get("port")
        if port is None:
            port = self._reserved(claim) if self._is_careful else self._free_in_list()
            status = {"status": {"port": port}}
            self._custom.patch_namespaced_custom_object_status(GROUP, VERSION, NAMESPACE, PLURAL, name, status)
        try:
            self._core.create_namespaced_config_map(NAMESPACE, self._owned_by(claim, port))
        except ApiException as error:
            if error.status != 409:
                raise

    def _reserved(self, claim):
        """One object has all ports: whoever writes it second is told so by its resourceVersion."""
        table = self._table()
        ports = json.loads(table.data["ports"])
        uid = claim["metadata"]["uid"]
        if uid not in ports:
            ports[uid] = self._lowest(set(ports.values()))
            table.data["ports"] = json.dumps(ports)
            self._core.replace_namespaced_config_map(TABLE, NAMESPACE, table)
        return ports[uid]

    def _table(self):
        try:
            return self._core.read_namespaced_config_map(TABLE, NAMESPACE)
        except ApiException as error:
            if error.status != 404:
                raise
        body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name=TABLE), data={"ports": "{}"})
        return self._core.create_namespaced_config_map(NAMESPACE, body)

    def _free_in_list(self):
        return self._lowest({claim.get("status", {}).get("port") for claim in self._claims()})

    @staticmethod
    def _lowest(taken):
        return next(port for port in range(FIRST_PORT, FIRST_PORT + PORTS_MAX) if port not in taken)

    @staticmethod
    def _owned_by(claim, port):
        meta = claim["metadata"]
        owner = client.V1OwnerReference(
            api_version=f"{GROUP}/{VERSION}", kind="PortClaim", name=meta["name"], uid=meta["uid"], controller=True
        )
        return client.V1ConfigMap(
            metadata=client.V1ObjectMeta(name=f"port-{meta['name']}", owner_references=[owner]), data={"port": str(port)}
        )
