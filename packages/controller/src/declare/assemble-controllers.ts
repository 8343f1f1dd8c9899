import type { ResourceType } from "@kintsugi/api";
import type { InformerDeps } from "@kintsugi/client";
import type { Controller } from "../reconciler.ts";
import type { ControllerInputs, ControllerPlan } from "./controller-definition.ts";
import { InformerPool, isSameKind } from "./informer-pool.ts";

/** The controllers of a list that can work with this API server and these inputs. */
export interface Assembly<World> {
  /** Has one informer for each kind that a controller reads. */
  informers: InformerPool;
  make: (world: World) => Controller[];
  leftOut: readonly { name: string; because: string }[];
}

export interface AssemblyDeps extends InformerDeps {
  /**
   * Kinds that are listed before other kinds. Default: the order in which controllers declare them.
   */
  firstKinds?: readonly ResourceType[];
}

/** A definition in the view of a program that has the options of all its definitions. */
export interface Plannable<Inputs, World> {
  readonly name: string;
  plan(inputs: Inputs): ControllerPlan<World>;
}

export function assembleControllers<Inputs extends ControllerInputs, World extends Inputs>(
  definitions: readonly Plannable<Inputs, World>[],
  inputs: Inputs,
  { firstKinds = [], ...informerDeps }: AssemblyDeps,
): Assembly<World> {
  const plans = definitions.map((definition) => ({ name: definition.name, plan: definition.plan(inputs) }));
  const able = plans.flatMap(({ plan }) => (plan.works ? [plan] : []));
  const readings = able.flatMap((plan) => plan.readings);
  const first = firstKinds.flatMap((kind) => readings.filter(({ type }) => isSameKind(type, kind)));
  return {
    informers: new InformerPool(informerDeps, [...first, ...readings]),
    make: (world) => able.map((plan) => plan.make(world)),
    leftOut: plans.flatMap(({ name, plan }) => (plan.works ? [] : [{ name, because: plan.because }])),
  };
}
