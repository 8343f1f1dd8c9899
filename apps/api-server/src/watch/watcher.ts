import type { Entry } from "@kintsugi/store";
import type { Selection } from "../request/selection.ts";
import type { Resource } from "../resources/resource.ts";
import type { EventEncoder } from "./event-encoder.ts";
import { FrameQueue, type FrameQueueOptions } from "./frame-queue.ts";

/** One watch of a stored resource: receives shared frames from the hub. */
export class Watcher extends FrameQueue {
  readonly resource: Resource;
  readonly selection: Selection;
  readonly encoder: EventEncoder;

  constructor(options: FrameQueueOptions & { resource: Resource; selection: Selection; encoder: EventEncoder }) {
    super(options);
    this.resource = options.resource;
    this.selection = options.selection;
    this.encoder = options.encoder;
  }

  matches(entry: Entry | undefined): boolean {
    return entry !== undefined && this.selection.matches(entry);
  }
}
