import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  type ValidatingWebhookConfiguration,
} from "@kintsugi/api";
import { objectsOf, type ClusterPicture } from "../picture/picture.ts";
import { UnreadableSource } from "../source/unreadable.ts";

type Webhook = NonNullable<ValidatingWebhookConfiguration["webhooks"]>[number];

/** Number of names in an error. */
const namedMax = 20;

/** Dependencies that do not answer, and the addresses of their webhooks. */
export interface SilentDependencies {
  /** "webhook/NAME" or "service/NAMESPACE/NAME", as they were requested. */
  readonly named: readonly string[];
  readonly addresses: readonly string[];
}

/**
 * Finds the webhooks of dependencies that are down: "webhook/NAME" by the name of a webhook or of
 * its configuration, "service/NAMESPACE/NAME" by the Service that answers.
 * @throws UnreadableSource if the cluster lacks the webhook or Service.
 */
export function silentDependencies(picture: ClusterPicture, text: string | undefined): SilentDependencies {
  if (text === undefined) return { named: [], addresses: [] };
  const named = text.split(",").map((word) => word.trim());
  const known = webhooksIn(picture);
  return { named, addresses: [...new Set(named.flatMap((name) => addressesOf(name, known)))] };
}

interface KnownWebhook {
  readonly configuration: string;
  readonly webhook: Webhook;
}

function webhooksIn(picture: ClusterPicture): KnownWebhook[] {
  const configurations = [
    ...objectsOf(picture, validatingWebhookConfigurations),
    ...objectsOf(picture, mutatingWebhookConfigurations),
  ];
  return configurations.flatMap(({ metadata, webhooks = [] }) =>
    webhooks.map((webhook) => ({ configuration: metadata.name ?? "", webhook })),
  );
}

function addressesOf(asked: string, known: readonly KnownWebhook[]): string[] {
  const [sort, ...rest] = asked.split("/");
  const name = rest.join("/");
  if ((sort !== "webhook" && sort !== "service") || name === "")
    throw new UnreadableSource(
      `--without "${asked}" is not understood: write webhook/NAME or service/NAMESPACE/NAME, several joined by commas`,
    );
  const found = known.filter(({ configuration, webhook }) =>
    sort === "webhook" ? configuration === name || webhook.name === name : serviceKey(webhook) === name,
  );
  if (found.length > 0) return found.map(({ webhook }) => addressOf(webhook));
  const names = known.map(({ webhook }) =>
    sort === "webhook" ? `webhook/${webhook.name}` : `service/${serviceKey(webhook) ?? ""}`,
  );
  const others = [...new Set(names)].slice(0, namedMax).join(", ");
  throw new UnreadableSource(
    known.length === 0
      ? `--without ${asked}: the source contains no webhook, and a rehearsal models no other dependency`
      : `--without ${asked}: ${sort === "webhook" ? "there is no such webhook" : "this Service serves no webhook"}; there are ${others}`,
  );
}

function serviceKey({ clientConfig: { service } }: Webhook): string | undefined {
  return service === undefined ? undefined : `${service.namespace}/${service.name}`;
}

/** The URL that the API server calls. */
function addressOf({ clientConfig: { service, url } }: Webhook): string {
  if (service === undefined) return url ?? "";
  const { name, namespace, port = 443, path = "" } = service;
  return `https://${name}.${namespace}.svc:${port}${path.startsWith("/") ? path : `/${path}`}`;
}
