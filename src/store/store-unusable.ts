/** The store cannot be opened as it stands; the message says why and what whoever runs the App can do about it. */
export class StoreUnusable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreUnusable';
  }
}
