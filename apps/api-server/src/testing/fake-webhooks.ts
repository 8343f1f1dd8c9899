import type { WebhookAnswer, WebhookTarget, WebhookTransport } from "../admission/webhooks/webhook-transport.ts";

/** The request of an AdmissionReview, as a webhook reads it. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into reviews of any object
export type Review = any;

type Responder = (request: Review, signal: AbortSignal) => object | WebhookAnswer | Promise<object | WebhookAnswer>;

/** Webhooks in this process, by the path of their URL. Every review is recorded. */
export class FakeWebhooks implements WebhookTransport {
  readonly reviews: { path: string; target: WebhookTarget; apiVersion: string; request: Review }[] = [];
  readonly #responders: Readonly<Record<string, Responder>>;

  constructor(responders: Readonly<Record<string, Responder>>) {
    this.#responders = responders;
  }

  async post(target: WebhookTarget, body: string, signal: AbortSignal): Promise<WebhookAnswer> {
    const { apiVersion, request } = JSON.parse(body) as { apiVersion: string; request: Review };
    const path = new URL(target.url).pathname;
    this.reviews.push({ path, target, apiVersion, request });
    const answer = await this.#responders[path]?.(request, signal);
    if (answer === undefined) return { status: 404, body: "" };
    if ("status" in answer && typeof answer.status === "number") return answer as WebhookAnswer;
    const response = { uid: (request as { uid: string }).uid, ...answer };
    return {
      status: 200,
      body: JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response }),
    };
  }

  paths(): string[] {
    return this.reviews.map(({ path }) => path);
  }
}

/** The answer of a webhook that changes the object. */
export function patching(...operations: object[]): object {
  const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
  return { allowed: true, patchType: "JSONPatch", patch };
}

const everything = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] };

/** A configuration of webhooks, each called by the path that is its name. */
export function aConfiguration(
  kind: "Validating" | "Mutating",
  name: string,
  webhooks: Readonly<Record<string, object>>,
) {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks: Object.entries(webhooks).map(([path, more]) => ({
      name: `${path}.example.com`,
      clientConfig: { url: `https://webhooks.test/${path}` },
      rules: [everything],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      ...more,
    })),
  };
}

export const configurationsPath = {
  Validating: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  Mutating: "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
} as const;
