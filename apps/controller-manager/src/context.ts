import type { Logger, Metrics, ResourceType } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import type { SigningOptions } from "./controllers/certificates/controller.ts";
import type { RecordEvent } from "./shared/events/event-note.ts";
import type { Informers } from "./shared/informers.ts";
import type { ControllerManagerOptions } from "./options.ts";
import type { EvictionBudgets } from "./shared/disruption-budgets/eviction-budgets.ts";

/** What every controller of the flat list is made of. */
export interface ControllerContext {
  /** Refuses writes when this process does not lead any more. */
  client: Client;
  informers: Informers;
  /** The kinds that the API server serves and that can be listed, watched and deleted. */
  served: readonly ResourceType[];
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  /** Events in the name of one of upstream's components. */
  eventsAs: (component: string) => RecordEvent;
  options: ControllerManagerOptions;
  /** What may be taken from those that PodDisruptionBudgets protect. */
  budgets: EvictionBudgets;
  /** With what certificates are signed; without it machines cannot join by themselves. */
  signing?: SigningOptions | undefined;
}
