import type { TablePresent } from "../ruleset/transaction.ts";

/** The kernel's packet filter, as far as one table goes. */
export interface Nft {
  /**
   * Applies the whole script, or nothing of it.
   * @throws Error with the first lines of nft's output.
   */
  apply(script: string): Promise<void>;
  /**
   * Lists the contents of the table; a missing table has none.
   * @throws Error when it cannot be read.
   */
  present(): Promise<TablePresent>;
}
