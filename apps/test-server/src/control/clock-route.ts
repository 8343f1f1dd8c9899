import { ApiError, badRequest, formatTimestamp } from "@kintsugi/api";
import { type BuiltInHandler, type BuiltInResource, jsonResponse } from "@kintsugi/api-server/factory";
import type { Client } from "@kintsugi/client";
import { type ConditionRequest, prepareCondition } from "../time/condition.ts";
import {
  advanceMaxMs,
  type AdvanceReport,
  type AdvanceRequest,
  giveClientsMaxMs,
  paceMax,
  type Steering,
} from "../time/steering.ts";
import {
  answerLater,
  apiVersion,
  durationIn,
  type Fields,
  bodyFields,
  group,
  knownFields,
  bodyNumber,
  textIn,
  controlVersion,
} from "./control-body.ts";

export interface ClockRouteDeps {
  /** Undefined if the cluster runs on real time. */
  steering: Steering | undefined;
  /** Makes a client of this process with the caller's rights. */
  clientOf: (user: Parameters<BuiltInHandler>[2]) => Client;
}

const fields = ["pace", "advance", "until", "atMost", "giveClients", "everyHeartbeat"];

/**
 * GET /apis/kintsugi.dev/v1alpha1/clock: the state of the cluster's clock. POST sets its pace
 * (`{"pace":60}`) or moves it (`{"advance":"10m"}`, `{"until":{…},"atMost":"1h"}`).
 */
export function clockRoute({ steering, clientOf }: ClockRouteDeps): BuiltInResource {
  const needed = (): Steering => {
    if (steering !== undefined) return steering;
    throw badRequest(
      "this cluster runs on real time: only `kintsugi test-server --clock steered` has a clock to steer",
    );
  };
  const list: BuiltInHandler = () => jsonResponse(200, clockObject(needed()));
  const create: BuiltInHandler = async (request, _info, user) => {
    const clock = needed();
    const body = bodyFields(request, fields);
    const pace = bodyNumber(body, "pace", { min: 0, max: paceMax });
    if (pace !== undefined) {
      const other = fields.find((name) => name !== "pace" && body[name] !== undefined);
      if (other !== undefined) throw badRequest(`pace and ${other} exclude each other: send two requests`);
      clock.setPace(pace);
      return jsonResponse(200, clockObject(clock));
    }
    const wanted = advanceIn(body);
    const client = clientOf(user);
    try {
      const condition =
        body["until"] === undefined
          ? undefined
          : await prepareCondition(client, conditionIn(body["until"]), request.signal);
      await condition?.();
      clock.assertIsFree();
      return answerLater(() =>
        advanced(clock, { ...wanted, condition }, request.signal)
          .then((report) => ({ ...clockObject(clock), advance: advanceObject(report) }))
          .finally(() => client.close()),
      );
    } catch (error) {
      void client.close();
      throw error;
    }
  };
  return { type: { group, version: controlVersion, resource: "clock", namespaced: false }, verbs: { list, create } };
}

/**
 * A condition that can no longer be evaluated ends the move, because its answer has already begun.
 */
async function advanced(clock: Steering, wanted: AdvanceRequest, signal: AbortSignal): Promise<AdvanceReport> {
  const { nowMs: fromMs } = clock.status();
  try {
    return await clock.advance(wanted, signal);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const movedMs = clock.status().nowMs - fromMs;
    return { movedMs, passedOverMs: 0, steps: 0, settled: false, reached: false, message: error.message };
  }
}

/** @throws ApiError BadRequest */
function advanceIn(body: Fields): AdvanceRequest {
  const giveClientsMs = durationIn(body, "giveClients", giveClientsMaxMs) ?? 0;
  const [durationMs, atMostMs] = [durationIn(body, "advance", advanceMaxMs), durationIn(body, "atMost", advanceMaxMs)];
  const hasCondition = body["until"] !== undefined;
  if (!hasCondition && atMostMs !== undefined) throw badRequest("atMost is the limit of until: write advance instead");
  if (hasCondition && durationMs !== undefined)
    throw badRequest("advance and until exclude each other: the limit of until is atMost");
  if (hasCondition && atMostMs === undefined)
    throw badRequest("until needs atMost, the maximum time to advance, such as 1h");
  const ms = durationMs ?? atMostMs;
  if (ms === undefined) throw badRequest('one of pace, advance and until is required, such as {"advance":"10m"}');
  return { durationMs: ms, giveClientsMs, everyHeartbeat: body["everyHeartbeat"] === true };
}

/** @throws ApiError BadRequest */
function conditionIn(value: unknown): ConditionRequest {
  const until = knownFields(value, "until", ["expression", "resource", "namespace", "name"]);
  const [expression, resource] = [textIn(until, "expression"), textIn(until, "resource")];
  if (expression === undefined || resource === undefined)
    throw badRequest("until needs a CEL expression, and the resource of the object that it is evaluated for");
  return { expression, resource, namespace: textIn(until, "namespace"), name: textIn(until, "name") };
}

function clockObject(clock: Steering): object {
  const { nowMs, pace, isMoving, nextDueMs } = clock.status();
  return {
    kind: "Clock",
    apiVersion,
    metadata: { name: "cluster" },
    status: {
      now: formatTimestamp(nowMs),
      pace,
      state: isMoving ? "Moving" : pace === 0 ? "Frozen" : "Running",
      ...(nextDueMs !== undefined && { nextTimer: formatTimestamp(nextDueMs) }),
    },
  };
}

function advanceObject({ message, ...report }: AdvanceReport): object {
  return { ...report, ...(message !== undefined && { message }) };
}
