/** A response that is no Chat Completions reply. A retry might get one. */
export class UnusableResponseError extends Error {
  readonly flaw: 'cut-off' | 'wrong-content-type' | 'unreadable-answer';
  constructor(flaw: UnusableResponseError['flaw'], message: string) {
    super(message);
    this.name = 'UnusableResponseError';
    this.flaw = flaw;
  }
}
