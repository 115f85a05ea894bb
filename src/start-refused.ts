/** The server cannot run as it is set up. The message is for the operator: what is wrong and what to do. */
export class StartRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartRefused';
  }
}
