import {
  deployments,
  endpoints,
  endpointSlices,
  podDisruptionBudgets,
  type ResourceType,
  services,
} from "@kintsugi/api";
import type { Controller } from "@kintsugi/controller";
import { BootstrapTokens } from "./bootstrap-tokens/controller.ts";
import { CertificateController } from "./certificates/controller.ts";
import type { ControllerContext } from "./context.ts";
import { DeploymentController } from "./deployment/controller.ts";
import { DisruptionController } from "./disruption/controller.ts";
import { EscalationController } from "./escalation/controller.ts";
import { EachNamespace } from "./each-namespace/controller.ts";
import { defaultServiceAccount, rootCaConfigMap } from "./each-namespace/namespace-objects.ts";
import { EndpointsController } from "./endpoints/controller.ts";
import { EndpointSliceController } from "./endpoint-slice/controller.ts";
import { GarbageCollector } from "./garbage-collector/controller.ts";
import { NamespaceController } from "./namespace/controller.ts";
import { NodeIpam } from "./node-ipam/controller.ts";
import { NodeLifecycle } from "./node-lifecycle/controller.ts";
import { PodGc } from "./pod-gc/controller.ts";
import { ReplicaSetController } from "./replica-set/controller.ts";
import { TaintEviction } from "./taint-eviction/controller.ts";

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
