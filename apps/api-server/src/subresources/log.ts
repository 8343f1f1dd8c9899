import { ApiError, internalError, invalid, isTimestamp, type ValidationIssue } from "@kintsugi/api";
import { type ApiResponse, textResponse } from "../http/api-request.ts";
import { fieldForbidden, fieldInvalid } from "../http/refusals.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { isTrue } from "../request/request-info.ts";
import type { ServerContext } from "../server-context.ts";
import { type KubeletDialer, readErrorText } from "../kubelet/kubelet-dialer.ts";
import { findKubelet, getPod, pickContainer } from "./pod-location.ts";
import type { RequestQuery } from "../request/request-path.ts";

/** GET pods/{name}/log: forwards the answer of the kubelet of the pod's node as it arrives. */
export async function getLog(
  context: ServerContext,
  call: ResourceCall,
  dialer: KubeletDialer | undefined,
): Promise<ApiResponse> {
  const { namespace, name, query } = call.info;
  const pod = getPod(context, { namespace, name });
  const forwarded = readLogQuery(query);
  const container = pickContainer(pod, query.get("container") ?? "");
  const messages = messagesFor(call);
  const nodeName = pod.spec?.nodeName ?? "";
  // A pod that is not yet bound has no output, which is also upstream's answer.
  if (nodeName === "") return { ...textResponse(200, ""), ...messages };
  if (dialer === undefined) throw internalError("this server cannot reach kubelets");
  const target = findKubelet(context, nodeName);
  const path = `/containerLogs/${[namespace, name, container].map(encodeURIComponent).join("/")}?${forwarded.toString()}`;
  const response = await dialer.get(target, path, call.request.signal);
  if (response.status === 200) {
    return { status: 200, headers: { "content-type": "text/plain" }, body: response.body, ...messages };
  }
  throw await kubeletRefusal(response.status, response.body, name);
}

/**
 * The WebSocket protocols of streams that only the server sends (upstream's wsstream), and whether
 * each is in base64.
 */
const protocols = { "binary.k8s.io": false, "base64.binary.k8s.io": true } as const;

/**
 * Returns the form in which a log is sent to a client that requests a WebSocket.
 * @throws ApiError Forbidden, with which upstream's handshake fails.
 */
function messagesFor({ request }: ResourceCall): Pick<ApiResponse, "messages"> {
  if (request.upgrade?.toLowerCase() !== "websocket") return {};
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").flatMap((each) => each.trim() || []);
  if (offered.length === 0) return { messages: { protocol: undefined, base64: false } };
  const protocol = offered.find((each): each is keyof typeof protocols => Object.hasOwn(protocols, each));
  if (protocol !== undefined) return { messages: { protocol, base64: protocols[protocol] } };
  throw new ApiError(
    "Forbidden",
    `requested protocol(s) are not supported: [${offered.join(" ")}]; supports [ ${Object.keys(protocols).join(" ")}]`,
  );
}

function readLogQuery(query: RequestQuery): URLSearchParams {
  const problems: ValidationIssue[] = [];
  const forwarded = new URLSearchParams();
  for (const [name, min] of [
    ["sinceSeconds", 1],
    ["tailLines", 0],
    ["limitBytes", 1],
  ] as const) {
    const text = query.get(name) ?? "";
    if (text === "") continue;
    if (!/^-?\d{1,15}$/.test(text) || Number(text) < min) {
      problems.push(fieldInvalid(name, text, `must be greater than or equal to ${min}`));
    }
    forwarded.set(name, text);
  }
  const sinceTime = query.get("sinceTime") ?? "";
  if (sinceTime !== "") {
    if (forwarded.has("sinceSeconds"))
      problems.push(fieldForbidden("sinceSeconds", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
    if (!isTimestamp(sinceTime)) problems.push(fieldInvalid("sinceTime", sinceTime, "must be a time in RFC 3339"));
    forwarded.set("sinceTime", sinceTime);
  }
  for (const name of ["follow", "previous", "timestamps"]) {
    const value = query.get(name);
    if (value !== null && isTrue(value)) forwarded.set(name, "true");
  }
  const stream = query.get("stream") ?? "";
  if (stream !== "") {
    if (!["All", "Stdout", "Stderr"].includes(stream))
      problems.push(fieldInvalid("stream", stream, 'supported values: "All", "Stderr", "Stdout"'));
    forwarded.set("stream", stream);
  }
  if (problems.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, "", problems);
  return forwarded;
}

async function kubeletRefusal(status: number, body: AsyncIterable<Uint8Array>, pod: string): Promise<ApiError> {
  const message = (await readErrorText(body)).trim();
  if (status === 404) return new ApiError("NotFound", message === "" ? `no log of pod ${pod} was found` : message);
  if (status >= 400 && status < 500) return new ApiError("BadRequest", message);
  return new ApiError("InternalError", message === "" ? `the kubelet answered with status ${status}` : message);
}
