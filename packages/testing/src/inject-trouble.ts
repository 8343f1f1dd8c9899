import { ApiError } from "@kintsugi/api";
import type { Random } from "@kintsugi/clock";
import type { RequestFaults, VirtualProcess, Wire } from "@kintsugi/simulation";
import { operatorName, type Trouble } from "./draw-troubles.ts";

interface Stricken {
  process: Pick<VirtualProcess, "kill" | "start">;
  wire: Wire;
  requests: RequestFaults;
  random: Random;
}

const share = 0.25;
const slowMaxMs = 5_000;
const conflict = "the object has been modified; please apply your changes to the latest version and try again";

/** Injects a fault into an operator. @returns a function that ends the fault. */
export function injectTrouble({ what }: Trouble, { process, wire, requests, random }: Stricken): () => void {
  switch (what) {
    case "operator dies":
      process.kill();
      return () => process.start();
    case "operator dies after a write":
      return dieAfterWrite({ process, wire });
    case "operator is cut off":
      wire.cut();
      return () => wire.heal();
    case "answers are lost":
      return wire.impairments.add(({ direction }) =>
        direction === "in" && random.float() < share ? "lost" : undefined,
      );
    case "requests fail":
      return requests.add(({ user }) =>
        user === operatorName && random.float() < share
          ? { refusal: new ApiError("InternalError", "a fault of an explored run"), isDone: random.float() < 0.5 }
          : undefined,
      );
    case "writes conflict":
      return requests.add(({ user, verb }) =>
        user === operatorName && (verb === "update" || verb === "patch") && random.float() < 0.5
          ? { refusal: new ApiError("Conflict", conflict), isDone: false }
          : undefined,
      );
    case "requests are slow":
      return wire.impairments.add(() => ({ delayMs: random.integer(slowMaxMs) }));
  }
}

/** The next write succeeds, and the process dies before the answer. */
function dieAfterWrite({ process, wire }: Pick<Stricken, "process" | "wire">): () => void {
  let isDead = false;
  const stop = wire.impairments.add(({ direction, request }) => {
    if (direction !== "in" || request.method === "GET" || isDead) return undefined;
    isDead = true;
    process.kill();
    return "lost";
  });
  return () => {
    stop();
    if (isDead) process.start();
  };
}
