import type { ApiServerDeps } from "@kintsugi/api-server/factory";
import type { Pod } from "@kintsugi/api";
import { untilAborted } from "@kintsugi/clock";

type WebhookTransport = NonNullable<ApiServerDeps["webhookTransport"]>;

export interface WebhookAnswersDeps {
  readonly pods: () => Iterable<Pod>;
  /** Reports whether clients reach the containers of the node. */
  readonly serves: (nodeName: string) => boolean;
}

export interface WebhookAnswersOptions {
  /** Addresses that never respond, regardless of which pods run. */
  readonly silent: ReadonlySet<string>;
}

/**
 * Answers in place of webhooks, whose programs do not exist in a rehearsal: a webhook whose pod
 * runs allows everything, and a webhook on a node that is off makes the server wait until its
 * timeout.
 */
export function webhookAnswers(
  { pods, serves }: WebhookAnswersDeps,
  { silent }: WebhookAnswersOptions,
): WebhookTransport {
  return {
    post: async ({ url, endpoint }, body, signal) => {
      const isSilent = silent.has(url.replace(/\?timeout=[^?]*$/, ""));
      if (isSilent || (endpoint !== undefined && !isServed(endpoint.address, { pods, serves }))) {
        await untilAborted(signal);
        throw new Error("its pod did not respond");
      }
      const review = JSON.parse(body) as { apiVersion: string; request: { uid: string } };
      const response = { uid: review.request.uid, allowed: true };
      const { apiVersion } = review;
      return { status: 200, body: JSON.stringify({ apiVersion, kind: "AdmissionReview", response }) };
    },
  };
}

function isServed(address: string, { pods, serves }: WebhookAnswersDeps): boolean {
  for (const { spec, status } of pods()) if (status?.podIP === address) return serves(spec?.nodeName ?? "");
  return false;
}
