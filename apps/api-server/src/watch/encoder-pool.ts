import type { Clock } from "@kintsugi/clock";
import type { ResponseForm } from "../http/negotiate.ts";
import type { Resource } from "../resources/resource.ts";
import { createEventEncoder, type EventEncoder } from "./event-encoder.ts";

/** One encoder per resource and form, so that watches of the same form share their frames. */
export class EncoderPool {
  readonly #clock: Clock;
  /** The encoders of a kind are removed with the kind. */
  readonly #encoders = new WeakMap<Resource, Map<string, EventEncoder>>();

  constructor(deps: { clock: Clock }) {
    this.#clock = deps.clock;
  }

  encoderFor(resource: Resource, form: ResponseForm): EventEncoder {
    let ofResource = this.#encoders.get(resource);
    if (ofResource === undefined) {
      ofResource = new Map();
      this.#encoders.set(resource, ofResource);
    }
    const name = JSON.stringify(form);
    let encoder = ofResource.get(name);
    if (encoder === undefined) {
      encoder = createEventEncoder(resource, form, () => this.#clock.nowMs());
      ofResource.set(name, encoder);
    }
    return encoder;
  }
}
