/** The address of a webhook. */
export interface WebhookTarget {
  /**
   * The URL that is called and that error messages name. For a Service it has the Service's name in
   * the cluster.
   */
  readonly url: string;
  /** Set for a Service: one of its endpoints, which is dialed instead of the URL's host. */
  readonly endpoint: { readonly address: string; readonly port: number } | undefined;
  /** Authorities of the server's certificate; undefined for the authorities of the machine. */
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
 * The limit of an answer in bytes: twice the size of a patch in base64 that replaces the largest
 * object.
 */
export const webhookAnswerBytesMax = 8 * 1024 * 1024;
