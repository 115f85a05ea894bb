/** Ends the demo early; the message is the one line that says why. */
export class DemoEnded extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}
