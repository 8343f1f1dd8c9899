// An operator as its author would write it with Kubernetes' JavaScript client: informers, a queue
// of keys, and one step per inspection. Usage: KUBECONFIG=FILE node operator.mjs
import * as k8s from "@kubernetes/client-node";

const group = "example.dev";
const version = "v1";
const plural = "sites";
const finalizer = "example.dev/goodbye";

const config = new k8s.KubeConfig();
config.loadFromDefault();
const apps = config.makeApiClient(k8s.AppsV1Api);
const core = config.makeApiClient(k8s.CoreV1Api);
const custom = config.makeApiClient(k8s.CustomObjectsApi);
const mergePatch = k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.MergePatch);

const isCode = (error, code) => error?.code === code;

function deploymentOf(site) {
  const { name, namespace, uid } = site.metadata;
  const labels = { site: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name,
      namespace,
      ownerReferences: [
        { apiVersion: `${group}/${version}`, kind: "Site", name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: {
      replicas: site.spec.replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [{ name: "web", image: site.spec.image, command: ["sh", "-c", "exec sleep 1d"] }],
        },
      },
    },
  };
}

/** Inspects a site, and takes the next step. */
async function reconcile(namespace, name) {
  const at = { group, version, namespace, plural, name };
  let site;
  try {
    site = await custom.getNamespacedCustomObject(at);
  } catch (error) {
    if (isCode(error, 404)) return;
    throw error;
  }
  const finalizers = site.metadata.finalizers ?? [];
  if (site.metadata.deletionTimestamp) {
    if (!finalizers.includes(finalizer)) return;
    const goodbye = { metadata: { name: `goodbye-${name}` }, data: { uid: site.metadata.uid } };
    await core.createNamespacedConfigMap({ namespace, body: goodbye }).catch((error) => {
      if (!isCode(error, 409)) throw error;
    });
    const rest = {
      ...site,
      metadata: { ...site.metadata, finalizers: finalizers.filter((each) => each !== finalizer) },
    };
    await custom.replaceNamespacedCustomObject({ ...at, body: rest });
    return;
  }
  if (!finalizers.includes(finalizer)) {
    await custom.replaceNamespacedCustomObject({
      ...at,
      body: { ...site, metadata: { ...site.metadata, finalizers: [...finalizers, finalizer] } },
    });
    return;
  }
  const wanted = deploymentOf(site);
  let deployment;
  try {
    deployment = await apps.readNamespacedDeployment({ name, namespace });
  } catch (error) {
    if (!isCode(error, 404)) throw error;
    deployment = await apps.createNamespacedDeployment({ namespace, body: wanted });
  }
  if (deployment.spec.replicas !== site.spec.replicas) {
    deployment = await apps.patchNamespacedDeployment(
      { name, namespace, body: { spec: { replicas: site.spec.replicas } } },
      mergePatch,
    );
  }
  const status = {
    replicas: deployment.status?.replicas ?? 0,
    readyReplicas: deployment.status?.readyReplicas ?? 0,
    observedGeneration: site.metadata.generation,
    selector: `site=${name}`,
  };
  if (JSON.stringify(status) === JSON.stringify(site.status)) return;
  await custom.patchNamespacedCustomObjectStatus({ ...at, body: { status } }, mergePatch);
}

const waiting = new Map();
let isRunning = false;

async function drain() {
  if (isRunning) return;
  isRunning = true;
  while (waiting.size > 0) {
    const [[key, { namespace, name }]] = waiting;
    waiting.delete(key);
    try {
      await reconcile(namespace, name);
    } catch (error) {
      console.error(`${key}: ${error?.code ?? error}`);
      setTimeout(() => enqueue(namespace, name), 200);
    }
  }
  isRunning = false;
}

function enqueue(namespace, name) {
  waiting.set(`${namespace}/${name}`, { namespace, name });
  void drain();
}

function follow(path, list, onChange) {
  const informer = k8s.makeInformer(config, path, list);
  for (const verb of ["add", "update", "delete"]) informer.on(verb, onChange);
  informer.on("error", (error) => {
    console.error(`${path}: ${error}`);
    setTimeout(() => informer.start(), 500);
  });
  return informer.start();
}

await follow(
  `/apis/${group}/${version}/${plural}`,
  () => custom.listCustomObjectForAllNamespaces({ group, version, resourcePlural: plural }),
  ({ metadata }) => enqueue(metadata.namespace, metadata.name),
);
await follow(
  "/apis/apps/v1/deployments",
  () => apps.listDeploymentForAllNamespaces(),
  ({ metadata }) => {
    const owner = metadata.ownerReferences?.find(({ kind }) => kind === "Site");
    if (owner) enqueue(metadata.namespace, owner.name);
  },
);
console.log("the operator follows sites");
