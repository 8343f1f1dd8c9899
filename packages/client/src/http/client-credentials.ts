/** The certificates and the key by which a client and its server authenticate each other, PEM. */
export interface TlsMaterial {
  /**
   * The authorities that may have signed the server's certificate. Defaults to the system's
   * authorities.
   */
  readonly ca?: string | undefined;
  /** The client's certificate and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** The credentials of a client. Connections made after a `replace` use the new credentials. */
export class ClientCredentials {
  #current: TlsMaterial;

  constructor(initial: TlsMaterial) {
    this.#current = initial;
  }

  /** A new object after each `replace`. */
  get current(): TlsMaterial {
    return this.#current;
  }

  replace({ ca, cert, key }: TlsMaterial): void {
    this.#current = { ca, cert, key };
  }
}
