import type { z } from "zod";
import { embedded, field, object, required } from "../../../../schema/fields.ts";
import { atomicList, int32, int64, intOrString, oneOf, text } from "../../../../schema/types.ts";

export const ExecAction = object(
  "io.k8s.api.core.v1.ExecAction",
  "The action runs a command inside the container and succeeds if the command exits with 0.",
  () => ({
    command: field(
      1,
      atomicList(text),
      "The command and its arguments run in the root of the container's filesystem; no shell is involved.",
    ),
  }),
);
export type ExecAction = z.infer<typeof ExecAction>;

export const HTTPHeader = object(
  "io.k8s.api.core.v1.HTTPHeader",
  "An HTTPHeader is one header of a probe's request.",
  () => ({
    name: required(1, text, "The header has this name."),
    value: required(2, text, "The header has this value."),
  }),
);
export type HTTPHeader = z.infer<typeof HTTPHeader>;

export const HTTPGetAction = object(
  "io.k8s.api.core.v1.HTTPGetAction",
  "The action sends a GET request and succeeds if the status code is at least 200 and below 400.",
  () => ({
    path: field(1, text, "The request is for this path; the default is /."),
    port: required(2, intOrString, "The request goes to this port of the container, a number or a name."),
    host: field(3, text, "The request goes to this host; the default is the IP address of the pod."),
    scheme: field(
      4,
      oneOf("HTTP", "HTTPS"),
      "The scheme is HTTP, the default, or HTTPS, which does not verify the certificate.",
    ),
    httpHeaders: field(5, atomicList(HTTPHeader), "The request carries these headers, in which names may repeat."),
  }),
);
export type HTTPGetAction = z.infer<typeof HTTPGetAction>;

export const TCPSocketAction = object(
  "io.k8s.api.core.v1.TCPSocketAction",
  "The action opens a TCP connection and succeeds if the connection is established.",
  () => ({
    port: required(1, intOrString, "The connection goes to this port of the container, a number or a name."),
    host: field(2, text, "The connection goes to this host; the default is the IP address of the pod."),
  }),
);
export type TCPSocketAction = z.infer<typeof TCPSocketAction>;

export const GRPCAction = object(
  "io.k8s.api.core.v1.GRPCAction",
  "The action calls the gRPC health service and succeeds if it returns SERVING.",
  () => ({
    port: required(1, int32, "The health service listens on this port number."),
    service: field(
      2,
      text,
      "The request names this service; the default is an empty name, which means the whole server.",
    ),
  }),
);
export type GRPCAction = z.infer<typeof GRPCAction>;

export const SleepAction = object("io.k8s.api.core.v1.SleepAction", "The action makes the container wait.", () => ({
  seconds: required(1, int64, "The action waits for this many seconds."),
}));
export type SleepAction = z.infer<typeof SleepAction>;

export const Probe = object(
  "io.k8s.api.core.v1.Probe",
  "A probe is a periodic check of a container's health; exactly one action must be set.",
  () => ({
    ...embedded(1, {
      exec: field(1, ExecAction, "The probe runs a command inside the container."),
      httpGet: field(2, HTTPGetAction, "The probe sends an HTTP request."),
      tcpSocket: field(3, TCPSocketAction, "The probe opens a TCP connection."),
      grpc: field(4, GRPCAction, "The probe calls the gRPC health service."),
    }),
    initialDelaySeconds: field(
      2,
      int32,
      "The first check happens this many seconds after the container has started; the default is 0.",
    ),
    timeoutSeconds: field(3, int32, "A check fails after this many seconds without a result; the default is 1."),
    periodSeconds: field(4, int32, "A check happens every this many seconds; the default is 10."),
    successThreshold: field(
      5,
      int32,
      "A failed probe succeeds again after this many successful checks in a row; the default is 1, which liveness and startup probes require.",
    ),
    failureThreshold: field(6, int32, "The probe fails after this many failed checks in a row; the default is 3."),
    terminationGracePeriodSeconds: field(
      7,
      int64,
      "The container has this many seconds to stop after the probe fails; the default is the grace period of the pod.",
    ),
  }),
);
export type Probe = z.infer<typeof Probe>;

export const LifecycleHandler = object(
  "io.k8s.api.core.v1.LifecycleHandler",
  "The handler is an action at a point of a container's life; exactly one field must be set.",
  () => ({
    exec: field(1, ExecAction, "The handler runs a command inside the container."),
    httpGet: field(2, HTTPGetAction, "The handler sends an HTTP request."),
    tcpSocket: field(
      3,
      TCPSocketAction,
      "This field is deprecated and has no effect; a container with it fails when the handler runs.",
    ),
    sleep: field(4, SleepAction, "The handler waits for some time."),
  }),
);
export type LifecycleHandler = z.infer<typeof LifecycleHandler>;

export const Lifecycle = object(
  "io.k8s.api.core.v1.Lifecycle",
  "Lifecycle holds the actions that the kubelet runs after a container starts and before it stops.",
  () => ({
    postStart: field(
      1,
      LifecycleHandler,
      "The handler runs right after the container is created; if it fails, the container is stopped and restarted by its policy.",
    ),
    preStop: field(
      2,
      LifecycleHandler,
      "The handler runs before the container is stopped on purpose, within the pod's grace period.",
    ),
    stopSignal: field(
      3,
      text,
      "The runtime stops the container with this signal, such as SIGTERM; the default is that of the image.",
    ),
  }),
);
export type Lifecycle = z.infer<typeof Lifecycle>;
