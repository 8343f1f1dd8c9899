/** Everything of the group apps that other packages use. */
export * from "./controller-revision/controller-revision-kind.ts";
export * from "./controller-revision/controller-revision-type.ts";
export * from "./controller-revision/controller-revision.ts";
export * from "./daemon-set/daemon-set-kind.ts";
export * from "./daemon-set/daemon-set-type.ts";
export * from "./daemon-set/daemon-set.ts";
export * from "./deployment/deployment-kind.ts";
export * from "./deployment/deployment-type.ts";
export * from "./deployment/deployment.ts";
export * from "./replica-set/replica-set-kind.ts";
export * from "./replica-set/replica-set-type.ts";
export * from "./replica-set/replica-set.ts";
export * from "./stateful-set/stateful-set-kind.ts";
export * from "./stateful-set/stateful-set-type.ts";
export * from "./stateful-set/stateful-set.ts";
