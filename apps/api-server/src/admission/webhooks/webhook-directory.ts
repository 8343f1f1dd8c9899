import {
  type MutatingWebhook,
  type MutatingWebhookConfiguration,
  mutatingWebhookConfigurations,
  type ExpressionPreparation,
  type ResourceType,
  type ValidatingWebhookConfiguration,
  validatingWebhookConfigurations,
  type Webhook,
} from "@kintsugi/api";
import type { Store } from "@kintsugi/store";
import { decodeEntry } from "../../resources/encoding.ts";
import { storePrefix } from "../../resources/keys.ts";
import { type CompiledCondition, compileConditions } from "../expressions/match-conditions.ts";
import { DirectoryExpressions, type FindExpression } from "../expressions/directory-expressions.ts";
import { type CompiledSelectors, compileSelectors } from "../matching/rules.ts";

export type WebhookType = "mutating" | "validating";

/** A webhook of a configuration, with parsed selectors and compiled conditions. */
export interface CompiledWebhook extends CompiledSelectors {
  /** Unique among all webhooks of all configurations. */
  readonly id: string;
  /** The name of the webhook's configuration. */
  readonly configuration: string;
  readonly webhook: Webhook;
  readonly conditions: readonly CompiledCondition[];
  /** True where a later change of the object calls the webhook again. */
  readonly isReinvoked: boolean;
}

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

const types: Readonly<Record<WebhookType, ResourceType<Configuration>>> = {
  mutating: mutatingWebhookConfigurations,
  validating: validatingWebhookConfigurations,
};

/**
 * The configured webhooks. They are read again after a change of a configuration. A write is
 * checked against the configurations that were committed before the write, while upstream may lag
 * behind.
 */
export class WebhookDirectory {
  readonly #store: Store;
  readonly #expressions = { mutating: new DirectoryExpressions(), validating: new DirectoryExpressions() };
  readonly #webhooks = new Map<WebhookType, readonly CompiledWebhook[]>();

  constructor({ store }: { store: Store }) {
    this.#store = store;
    const prefixes = (["mutating", "validating"] as const).map((type) => [type, storePrefix(types[type], "")] as const);
    store.subscribe((changes) => {
      for (const {
        entry: { key },
      } of changes) {
        for (const [type, prefix] of prefixes) if (key.startsWith(prefix)) this.#webhooks.delete(type);
      }
    });
  }

  /** Lists the webhooks of a type, ordered by the name of their configuration. */
  list(type: WebhookType): readonly CompiledWebhook[] {
    let webhooks = this.#webhooks.get(type);
    if (webhooks === undefined) this.#webhooks.set(type, (webhooks = this.#reread(type)));
    return webhooks;
  }

  /** Compiles the match conditions of the webhooks of a type. */
  preparation(type: WebhookType): ExpressionPreparation {
    return this.#expressions[type].preparation(() => void this.list(type));
  }

  #reread(type: WebhookType): readonly CompiledWebhook[] {
    return this.#expressions[type].reread((find) => this.#read(type, find));
  }

  #read(type: WebhookType, find: FindExpression): CompiledWebhook[] {
    const { entries } = this.#store.list(storePrefix(types[type], ""));
    return entries.flatMap((entry) => {
      const { metadata, webhooks = [] } = decodeEntry(entry) as Configuration;
      return webhooks.map((webhook) => compile({ type, configuration: metadata.name ?? "" }, webhook, find));
    });
  }
}

function compile(
  { type, configuration }: { type: WebhookType; configuration: string },
  webhook: Webhook,
  find: FindExpression,
): CompiledWebhook {
  return {
    id: `${type}/${configuration}/${webhook.name}`,
    configuration,
    webhook,
    ...compileSelectors(webhook),
    conditions: compileConditions(webhook.matchConditions, find),
    isReinvoked: (webhook as MutatingWebhook).reinvocationPolicy === "IfNeeded",
  };
}
