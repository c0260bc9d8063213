import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { ShownCertificate } from '../../../open-banking/tpps/registry';

/** The certificate that the client of a connection has shown, and whether one of our authorities issued it. */
export function shownCertificate({ socket }: IncomingMessage): ShownCertificate | undefined {
  const { authorized, getPeerX509Certificate } = socket as TLSSocket;
  const certificate = getPeerX509Certificate?.call(socket as TLSSocket);
  return certificate && { certificate, isTrusted: authorized };
}
