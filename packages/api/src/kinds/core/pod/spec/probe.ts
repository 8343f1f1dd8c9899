import type { z } from "zod";
import { embedded, field, object, required } from "../../../../schema/fields.ts";
import { atomicList, int32, int64, intOrString, oneOf, text } from "../../../../schema/types.ts";

export const ExecAction = object(
  "io.k8s.api.core.v1.ExecAction",
  "A command to run in the container; it succeeds by ending with 0.",
  () => ({
    command: field(1, atomicList(text), "The program and its arguments; no shell is between."),
  }),
);
export type ExecAction = z.infer<typeof ExecAction>;

export const HTTPHeader = object("io.k8s.api.core.v1.HTTPHeader", "A header to send.", () => ({
  name: required(1, text),
  value: required(2, text),
}));
export type HTTPHeader = z.infer<typeof HTTPHeader>;

export const HTTPGetAction = object(
  "io.k8s.api.core.v1.HTTPGetAction",
  "A request to the container; answers from 200 to 399 are success.",
  () => ({
    path: field(1, text, "The path."),
    port: required(2, intOrString, "The port, as a number or a name."),
    host: field(3, text, "The host, if not the pod."),
    scheme: field(4, oneOf("HTTP", "HTTPS"), "HTTP or HTTPS."),
    httpHeaders: field(5, atomicList(HTTPHeader), "Headers to send."),
  }),
);
export type HTTPGetAction = z.infer<typeof HTTPGetAction>;

export const TCPSocketAction = object(
  "io.k8s.api.core.v1.TCPSocketAction",
  "A connection to the container; that it opens is success.",
  () => ({
    port: required(1, intOrString),
    host: field(2, text),
  }),
);
export type TCPSocketAction = z.infer<typeof TCPSocketAction>;

export const GRPCAction = object(
  "io.k8s.api.core.v1.GRPCAction",
  "A call of gRPC's health service in the container.",
  () => ({
    port: required(1, int32),
    service: field(2, text),
  }),
);
export type GRPCAction = z.infer<typeof GRPCAction>;

export const SleepAction = object("io.k8s.api.core.v1.SleepAction", "A pause.", () => ({
  seconds: required(1, int64),
}));
export type SleepAction = z.infer<typeof SleepAction>;

export const Probe = object("io.k8s.api.core.v1.Probe", "A regular check of a container.", () => ({
  ...embedded(1, {
    exec: field(1, ExecAction, "Run a command."),
    httpGet: field(2, HTTPGetAction, "Send a request."),
    tcpSocket: field(3, TCPSocketAction, "Open a connection."),
    grpc: field(4, GRPCAction, "Call the health service."),
  }),
  initialDelaySeconds: field(2, int32, "How long after the start the first check waits."),
  timeoutSeconds: field(3, int32, "After how long a check has failed."),
  periodSeconds: field(4, int32, "How often to check."),
  successThreshold: field(5, int32, "How many successes in a row mean well."),
  failureThreshold: field(6, int32, "How many failures in a row mean ill."),
  terminationGracePeriodSeconds: field(7, int64, "How long the container has to end when this fails."),
}));
export type Probe = z.infer<typeof Probe>;

export const LifecycleHandler = object(
  "io.k8s.api.core.v1.LifecycleHandler",
  "What is done at a turn of a container's life.",
  () => ({
    exec: field(1, ExecAction),
    httpGet: field(2, HTTPGetAction),
    tcpSocket: field(3, TCPSocketAction),
    sleep: field(4, SleepAction),
  }),
);
export type LifecycleHandler = z.infer<typeof LifecycleHandler>;

export const Lifecycle = object(
  "io.k8s.api.core.v1.Lifecycle",
  "What is done after a container starts and before it stops.",
  () => ({
    postStart: field(1, LifecycleHandler, "Done right after the start."),
    preStop: field(2, LifecycleHandler, "Done before it is asked to stop."),
    stopSignal: field(3, text, "With what it is asked to stop."),
  }),
);
export type Lifecycle = z.infer<typeof Lifecycle>;
