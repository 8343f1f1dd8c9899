import type { TablePresent } from "../ruleset/transaction.ts";

/** The kernel's packet filter, limited to one table. */
export interface Nft {
  /**
   * Applies the whole script atomically.
   * @throws Error with the first lines of nft's output.
   */
  apply(script: string): Promise<void>;
  /**
   * Lists the contents of the table; a missing table is empty.
   * @throws Error when the table cannot be read.
   */
  present(): Promise<TablePresent>;
}
