import type { z } from "zod";
import { embedded, field, object, required } from "../../../../schema/fields.ts";
import { atomicList, int32, int64, intOrString, oneOf, text } from "../../../../schema/types.ts";

export const ExecAction = object(
  "io.k8s.api.core.v1.ExecAction",
  "ExecAction runs a command inside the container. The action succeeds if the command exits with 0.",
  () => ({
    command: field(
      1,
      atomicList(text),
      "Command and its arguments. The command runs in the root directory of the container, without a shell.",
    ),
  }),
);
export type ExecAction = z.infer<typeof ExecAction>;

export const HTTPHeader = object(
  "io.k8s.api.core.v1.HTTPHeader",
  "HTTPHeader is one header of a probe's request.",
  () => ({
    name: required(1, text, "Name of the header."),
    value: required(2, text, "Value of the header."),
  }),
);
export type HTTPHeader = z.infer<typeof HTTPHeader>;

export const HTTPGetAction = object(
  "io.k8s.api.core.v1.HTTPGetAction",
  "HTTPGetAction sends a GET request. The action succeeds if the status code is at least 200 and below 400.",
  () => ({
    path: field(1, text, "Path of the request. Defaults to /."),
    port: required(2, intOrString, "Port of the container, a number or a name."),
    host: field(3, text, "Host of the request. Defaults to the IP address of the pod."),
    scheme: field(
      4,
      oneOf("HTTP", "HTTPS"),
      "Scheme of the request: HTTP or HTTPS. With HTTPS, the certificate is not verified. Defaults to HTTP.",
    ),
    httpHeaders: field(5, atomicList(HTTPHeader), "Headers of the request. Names may repeat."),
  }),
);
export type HTTPGetAction = z.infer<typeof HTTPGetAction>;

export const TCPSocketAction = object(
  "io.k8s.api.core.v1.TCPSocketAction",
  "TCPSocketAction opens a TCP connection. The action succeeds if the connection is established.",
  () => ({
    port: required(1, intOrString, "Port of the container, a number or a name."),
    host: field(2, text, "Host of the connection. Defaults to the IP address of the pod."),
  }),
);
export type TCPSocketAction = z.infer<typeof TCPSocketAction>;

export const GRPCAction = object(
  "io.k8s.api.core.v1.GRPCAction",
  "GRPCAction calls the gRPC health service. The action succeeds if the service returns SERVING.",
  () => ({
    port: required(1, int32, "Port number of the health service."),
    service: field(2, text, "Service name in the request. Defaults to an empty name, which means the whole server."),
  }),
);
export type GRPCAction = z.infer<typeof GRPCAction>;

export const SleepAction = object("io.k8s.api.core.v1.SleepAction", "SleepAction waits for a given time.", () => ({
  seconds: required(1, int64, "Duration of the wait in seconds."),
}));
export type SleepAction = z.infer<typeof SleepAction>;

export const Probe = object(
  "io.k8s.api.core.v1.Probe",
  "Probe is a periodic check of a container's health. Exactly one action must be set.",
  () => ({
    ...embedded(1, {
      exec: field(1, ExecAction, "Command that runs inside the container."),
      httpGet: field(2, HTTPGetAction, "HTTP request that the probe sends."),
      tcpSocket: field(3, TCPSocketAction, "TCP connection that the probe opens."),
      grpc: field(4, GRPCAction, "Call to the gRPC health service."),
    }),
    initialDelaySeconds: field(
      2,
      int32,
      "Time from the start of the container to the first check, in seconds. Defaults to 0.",
    ),
    timeoutSeconds: field(3, int32, "Timeout of a check in seconds. Defaults to 1."),
    periodSeconds: field(4, int32, "Interval between two checks in seconds. Defaults to 10."),
    successThreshold: field(
      5,
      int32,
      "Number of consecutive successful checks after which a failed probe succeeds again. Defaults to 1. Must be 1 for liveness and startup probes.",
    ),
    failureThreshold: field(
      6,
      int32,
      "Number of consecutive failed checks after which the probe fails. Defaults to 3.",
    ),
    terminationGracePeriodSeconds: field(
      7,
      int64,
      "Grace period in seconds for stopping the container after the probe fails. Defaults to the grace period of the pod.",
    ),
  }),
);
export type Probe = z.infer<typeof Probe>;

export const LifecycleHandler = object(
  "io.k8s.api.core.v1.LifecycleHandler",
  "LifecycleHandler is an action in a container's lifecycle. Exactly one field must be set.",
  () => ({
    exec: field(1, ExecAction, "Command that runs inside the container."),
    httpGet: field(2, HTTPGetAction, "HTTP request that the handler sends."),
    tcpSocket: field(
      3,
      TCPSocketAction,
      "Deprecated and without effect. A container with this field fails when the handler runs.",
    ),
    sleep: field(4, SleepAction, "Wait for a given time."),
  }),
);
export type LifecycleHandler = z.infer<typeof LifecycleHandler>;

export const Lifecycle = object(
  "io.k8s.api.core.v1.Lifecycle",
  "Lifecycle lists the actions that the kubelet runs after a container starts and before it stops.",
  () => ({
    postStart: field(
      1,
      LifecycleHandler,
      "Action that runs immediately after the container is created. If the action fails, the container is stopped and its restart policy applies.",
    ),
    preStop: field(
      2,
      LifecycleHandler,
      "Action that runs before the container is stopped, within the pod's grace period. The action does not run if the container exits on its own.",
    ),
    stopSignal: field(
      3,
      text,
      "Signal that stops the container, such as SIGTERM. Defaults to the stop signal of the image.",
    ),
  }),
);
export type Lifecycle = z.infer<typeof Lifecycle>;
