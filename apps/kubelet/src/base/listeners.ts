/**
 * Handlers of one kind of event, called in the order in which they were added. Only the wiring adds
 * handlers, so there are few.
 */
export class Listeners<Event = void> {
  readonly #handlers: ((event: Event) => void)[] = [];

  add(handler: (event: Event) => void): void {
    this.#handlers.push(handler);
  }

  emit(event: Event): void {
    for (const handler of this.#handlers) handler(event);
  }
}
