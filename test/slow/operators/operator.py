"""An operator as its author would write it with Kubernetes' Python client: two watches, a queue of keys, and one step per look.

Usage: KUBECONFIG=FILE python3 operator.py
"""

import queue
import threading
import time

from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException

GROUP, VERSION, PLURAL = "example.dev", "v1", "sites"
FINALIZER = "example.dev/goodbye"

config.load_kube_config()
apps, core, custom = client.AppsV1Api(), client.CoreV1Api(), client.CustomObjectsApi()
keys: "queue.Queue[tuple[str, str]]" = queue.Queue()


def deployment_of(site):
    meta = site["metadata"]
    labels = {"site": meta["name"]}
    owner = client.V1OwnerReference(
        api_version=f"{GROUP}/{VERSION}", kind="Site", name=meta["name"], uid=meta["uid"], controller=True, block_owner_deletion=True
    )
    container = client.V1Container(name="web", image=site["spec"]["image"], command=["sh", "-c", "exec sleep 1d"])
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels),
        spec=client.V1PodSpec(containers=[container], termination_grace_period_seconds=0),
    )
    return client.V1Deployment(
        metadata=client.V1ObjectMeta(name=meta["name"], owner_references=[owner]),
        spec=client.V1DeploymentSpec(
            replicas=site["spec"]["replicas"], selector=client.V1LabelSelector(match_labels=labels), template=template
        ),
    )


def say_goodbye(namespace, name, site):
    try:
        core.create_namespaced_config_map(
            namespace, client.V1ConfigMap(metadata=client.V1ObjectMeta(name=f"goodbye-{name}"), data={"uid": site["metadata"]["uid"]})
        )
    except ApiException as error:
        if error.status != 409:
            raise
    site["metadata"]["finalizers"].remove(FINALIZER)
    custom.replace_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, name, site)


def reconcile(namespace, name):
    try:
        site = custom.get_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, name)
    except ApiException as error:
        if error.status == 404:
            return
        raise
    finalizers = site["metadata"].get("finalizers", [])
    if "deletionTimestamp" in site["metadata"]:
        if FINALIZER in finalizers:
            say_goodbye(namespace, name, site)
        return
    if FINALIZER not in finalizers:
        site["metadata"]["finalizers"] = [*finalizers, FINALIZER]
        custom.replace_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, name, site)
        return
    try:
        deployment = apps.read_namespaced_deployment(name, namespace)
    except ApiException as error:
        if error.status != 404:
            raise
        deployment = apps.create_namespaced_deployment(namespace, deployment_of(site))
    if deployment.spec.replicas != site["spec"]["replicas"]:
        deployment = apps.patch_namespaced_deployment(name, namespace, {"spec": {"replicas": site["spec"]["replicas"]}})
    status = {
        "replicas": deployment.status.replicas or 0,
        "readyReplicas": deployment.status.ready_replicas or 0,
        "observedGeneration": site["metadata"]["generation"],
        "selector": f"site={name}",
    }
    if site.get("status") != status:
        custom.patch_namespaced_custom_object_status(GROUP, VERSION, namespace, PLURAL, name, {"status": status})


def follow(key_of, list_all, *arguments):
    while True:
        try:
            for event in watch.Watch().stream(list_all, *arguments):
                key = key_of(event["raw_object"] if "raw_object" in event else event["object"])
                if key:
                    keys.put(key)
        except Exception as error:  # A watch that ended is begun again.
            print(f"watch: {error}", flush=True)
            time.sleep(0.5)


def key_of_site(site):
    return site["metadata"]["namespace"], site["metadata"]["name"]


def key_of_deployment(deployment):
    for owner in deployment["metadata"].get("ownerReferences", []):
        if owner["kind"] == "Site":
            return deployment["metadata"]["namespace"], owner["name"]
    return None


for arguments in (
    (key_of_site, custom.list_cluster_custom_object, GROUP, VERSION, PLURAL),
    (key_of_deployment, apps.list_deployment_for_all_namespaces),
):
    threading.Thread(target=follow, args=arguments, daemon=True).start()
print("the operator follows sites", flush=True)
while True:
    key = keys.get()
    try:
        reconcile(*key)
    except ApiException as error:
        print(f"{key}: {error.status} {error.reason}", flush=True)
        threading.Timer(0.2, keys.put, [key]).start()
