import type { z } from "zod";
import { embedded, field, object, required } from "../../schema/fields.ts";
import { atomicList, int32, int64, intOrString, oneOf, text } from "../../schema/types.ts";

export const ExecAction = object("io.k8s.api.core.v1.ExecAction", {
  command: field(1, atomicList(text)),
});
export type ExecAction = z.infer<typeof ExecAction>;

export const HTTPHeader = object("io.k8s.api.core.v1.HTTPHeader", {
  name: required(1, text),
  value: required(2, text),
});
export type HTTPHeader = z.infer<typeof HTTPHeader>;

export const HTTPGetAction = object("io.k8s.api.core.v1.HTTPGetAction", {
  path: field(1, text),
  port: required(2, intOrString),
  host: field(3, text),
  scheme: field(4, oneOf("HTTP", "HTTPS")),
  httpHeaders: field(5, atomicList(HTTPHeader)),
});
export type HTTPGetAction = z.infer<typeof HTTPGetAction>;

export const TCPSocketAction = object("io.k8s.api.core.v1.TCPSocketAction", {
  port: required(1, intOrString),
  host: field(2, text),
});
export type TCPSocketAction = z.infer<typeof TCPSocketAction>;

export const GRPCAction = object("io.k8s.api.core.v1.GRPCAction", {
  port: required(1, int32),
  service: field(2, text),
});
export type GRPCAction = z.infer<typeof GRPCAction>;

export const SleepAction = object("io.k8s.api.core.v1.SleepAction", {
  seconds: required(1, int64),
});
export type SleepAction = z.infer<typeof SleepAction>;

export const Probe = object("io.k8s.api.core.v1.Probe", {
  ...embedded(1, {
    exec: field(1, ExecAction),
    httpGet: field(2, HTTPGetAction),
    tcpSocket: field(3, TCPSocketAction),
    grpc: field(4, GRPCAction),
  }),
  initialDelaySeconds: field(2, int32),
  timeoutSeconds: field(3, int32),
  periodSeconds: field(4, int32),
  successThreshold: field(5, int32),
  failureThreshold: field(6, int32),
  terminationGracePeriodSeconds: field(7, int64),
});
export type Probe = z.infer<typeof Probe>;

export const LifecycleHandler = object("io.k8s.api.core.v1.LifecycleHandler", {
  exec: field(1, ExecAction),
  httpGet: field(2, HTTPGetAction),
  tcpSocket: field(3, TCPSocketAction),
  sleep: field(4, SleepAction),
});
export type LifecycleHandler = z.infer<typeof LifecycleHandler>;

export const Lifecycle = object("io.k8s.api.core.v1.Lifecycle", {
  postStart: field(1, LifecycleHandler),
  preStop: field(2, LifecycleHandler),
  stopSignal: field(3, text),
});
export type Lifecycle = z.infer<typeof Lifecycle>;
