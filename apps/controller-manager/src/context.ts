import type { KeyObject } from "node:crypto";
import type { ChangeStream } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Random } from "@kintsugi/clock";
import {
  controllerDefiner,
  type ControllerInputs,
  type Informers,
  type OwnContext,
  type WithOptions,
} from "@kintsugi/controller";
import type { OptionTable } from "@kintsugi/daemon";
import type { Authority } from "@kintsugi/pki";
import type { EvictionBudgets } from "./shared/disruption-budgets/eviction-budgets.ts";

/** The process's dependencies that every controller shares, in addition to its options. */
export interface Inputs extends ControllerInputs {
  /** Refuses writes when this process no longer leads. */
  client: Client;
  random: Random;
  /** The bus with the changes of all kinds; without it, informers use watches. */
  changes?: ChangeStream | undefined;
  /** The authority that signs certificates; without it, machines cannot join by themselves. */
  signing?: Authority | undefined;
  /**
   * Reads the names and addresses in the API server's certificate; without this function, only the
   * names and addresses of the Service `kubernetes` are known.
   */
  readonly apiServerNames?: ((signal: AbortSignal) => Promise<readonly string[]>) | undefined;
  /** The certificate authority of the API server, PEM; "" where it is not known. */
  rootCa: string;
  /** The key that signs tokens in Secrets; without it, Secrets of service accounts stay empty. */
  tokenKey?: KeyObject | undefined;
}

/** The client with informers, for controllers that need them. */
export interface World extends Inputs {
  informers: Informers;
  /** The disruptions that PodDisruptionBudgets allow. */
  budgets: EvictionBudgets;
}

/** The dependencies of a controller with these options. */
export type ControllerContext<Table extends OptionTable = Record<never, never>> = OwnContext<WithOptions<World, Table>>;

/** Declares one controller; `controllers.ts` lists all controllers. */
export const defineController = controllerDefiner<Inputs, World>();
