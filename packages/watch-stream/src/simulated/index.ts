export { type Delivery, type Fate, MemoryBus, type MemoryBusClient } from "./memory-bus.ts";
