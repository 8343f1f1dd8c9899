/** The address of a webhook. */
export interface WebhookTarget {
  /** The URL that is called, which error messages name; of a Service, its name in the cluster. */
  readonly url: string;
  /** Set for a Service: an endpoint of it, which is dialled instead of the host of the URL. */
  readonly endpoint: { readonly address: string; readonly port: number } | undefined;
  /** Authorities of the server's certificate; undefined for those of the machine. */
  readonly ca: string | undefined;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly body: string;
}

/** Carries reviews to webhooks. */
export interface WebhookTransport {
  /**
   * Resolves with the whole answer, whose size is limited. Redirects are not followed.
   * @throws Error when no answer arrived; `signal` ends the call at any time.
   */
  post(target: WebhookTarget, body: string, signal: AbortSignal): Promise<WebhookAnswer>;
}

/**
 * The limit on an answer in bytes: a patch in base64 that replaces the largest object, twice over.
 */
export const webhookAnswerBytesMax = 8 * 1024 * 1024;
