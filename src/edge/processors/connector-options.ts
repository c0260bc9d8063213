/** What a connector is made with. */
export interface ConnectorOptions {
  /** Scheme, host, port and path before those of the processor's API. */
  baseUrl: string;
  /** With which we authenticate there. */
  apiKey: string;
  /** For one whole call, in milliseconds. */
  timeoutMs: number;
}
