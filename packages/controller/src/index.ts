export { type Controller, done, type Reconciler, type ReconcileResult } from "./reconciler.ts";
