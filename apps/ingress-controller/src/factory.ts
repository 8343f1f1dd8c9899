export type { Gateway } from "./gateway.ts";
export {
  createIngressController,
  type IngressControllerDeps,
  type IngressControllerOptions,
} from "./ingress-controller.ts";
export type { RoutePlan } from "./plan/route-plan.ts";
