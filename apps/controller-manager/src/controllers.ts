import {
  deployments,
  endpoints,
  endpointSlices,
  podDisruptionBudgets,
  type ResourceType,
  services,
} from "@kintsugi/api";
import type { Controller } from "@kintsugi/controller";
import { BootstrapTokens } from "./controllers/bootstrap-tokens/controller.ts";
import { CertificateController } from "./controllers/certificates/controller.ts";
import type { ControllerContext } from "./context.ts";
import { DeploymentController } from "./controllers/deployment/controller.ts";
import { DisruptionController } from "./controllers/disruption/controller.ts";
import { EscalationController } from "./controllers/escalation/controller.ts";
import { EachNamespace } from "./controllers/each-namespace/controller.ts";
import { defaultServiceAccount, rootCaConfigMap } from "./controllers/each-namespace/namespace-objects.ts";
import { EndpointsController } from "./controllers/endpoints/controller.ts";
import { EndpointSliceController } from "./controllers/endpoint-slice/controller.ts";
import { GarbageCollector } from "./controllers/garbage-collector/controller.ts";
import { NamespaceController } from "./controllers/namespace/controller.ts";
import { NodeIpam } from "./controllers/node-ipam/controller.ts";
import { NodeLifecycle } from "./controllers/node-lifecycle/controller.ts";
import { PodGc } from "./controllers/pod-gc/controller.ts";
import { ReplicaSetController } from "./controllers/replica-set/controller.ts";
import { TaintEviction } from "./controllers/taint-eviction/controller.ts";

/** Every controller there is; one that lacks what it needs is left out. Each is made once per term as leader. */
export const controllers: readonly ((context: ControllerContext) => Controller | undefined)[] = [
  (context) => new NodeLifecycle(context),
  (context) => context.options.nodeIpam && new NodeIpam(context, context.options.nodeIpam),
  (context) => new TaintEviction(context),
  (context) => new EscalationController(context),
  (context) => (serves(context, deployments) ? new DeploymentController(context) : undefined),
  (context) => new ReplicaSetController(context),
  (context) => (serves(context, podDisruptionBudgets) ? new DisruptionController(context) : undefined),
  (context) => (serves(context, services, endpoints) ? new EndpointsController(context) : undefined),
  (context) => (serves(context, services, endpointSlices) ? new EndpointSliceController(context) : undefined),
  (context) => new PodGc(context),
  (context) => new GarbageCollector(context),
  (context) => new NamespaceController(context),
  (context) => new EachNamespace(context, defaultServiceAccount),
  (context) => new EachNamespace(context, rootCaConfigMap(context.options.rootCa)),
  (context) => context.signing && new CertificateController(context, context.signing),
  (context) => context.signing && new BootstrapTokens(context),
];

function serves({ served }: ControllerContext, ...types: ResourceType[]): boolean {
  return types.every((type) => served.includes(type));
}
