/** Whose repositories are served: the App's own account, everybody's, or these accounts' (logins in lower case). */
export type AllowedOwners =
  | { readonly kind: 'own' }
  | { readonly kind: 'everybody' }
  | { readonly kind: 'listed'; readonly logins: readonly string[] };

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
export type LogFormat = 'json' | 'pretty';

/** Everything the operator decides, checked. Made once, from the environment. */
export type Config = {
  readonly app: {
    readonly id: number;
    /** PEM of an RSA key. */
    readonly privateKey: string;
    /** The first signs new deliveries; a second one is accepted while a secret is rotated. */
    readonly webhookSecrets: readonly [string, ...string[]];
  };
  readonly github: {
    /** `github.com`, or host and port of an Enterprise Server or a simulator. */
    readonly host: string;
    readonly protocol: 'http' | 'https';
  };
  readonly http: { readonly port: number; readonly host: string; readonly webhookPath: string };
  readonly model: { readonly name: string; readonly apiKey: string | null; readonly baseUrl: string | null };
  readonly allowedOwners: AllowedOwners;
  /** Deliveries are stored and answered, nothing else happens. */
  readonly paused: boolean;
  /** `url` null: the embedded database in `dataDir`. */
  readonly database: { readonly url: string | null; readonly dataDir: string };
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
};
