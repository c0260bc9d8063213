import type { IncomingTransferCapability } from '../../../domain/connector';
import type {
  NotTaken,
  TransferInquiry,
  TransferRefused,
  TransferStanding,
  Unknown,
} from '../../../domain/processor-answers';
import { answerAbout, type Heard, inquiry, unreadable } from '../answers';
import { formOf, type ProcessorHttp, type ProcessorHttpResult } from '../http';
import { transferMeaning } from './status';
import { readAbout, readTransfer, type TransferWire } from './wire';

/** The incoming transfers of processor B: every call about one is answered with how it stands. */
export function transfersOver(http: ProcessorHttp): IncomingTransferCapability {
  const path = (transferId: string) => `/api/transferencias/${encodeURIComponent(transferId)}`;
  return {
    assign: async ({ transferId, paymentReference, idempotencyKey }) => {
      const form = formOf({ pedido: idempotencyKey, pagamento: paymentReference });
      const heard = about(await http.postForm(`${path(transferId)}/afetacao`, form), transferId);
      return heard.kind === 'assigned' && heard.paymentReference === paymentReference ? heard : notDone(heard);
    },
    giveBack: async ({ transferId, returnReference, idempotencyKey }) => {
      const form = formOf({ pedido: idempotencyKey, referencia: returnReference });
      const heard = about(await http.postForm(`${path(transferId)}/devolucao`, form), transferId);
      switch (heard.kind) {
        case 'returning':
        case 'returned':
        case 'return_declined':
          return heard;
        default:
          return notDone(heard);
      }
    },
    inquire: async (transferId) => inquiry(about(await http.get(path(transferId)), transferId)),
  };
}

function about(result: ProcessorHttpResult, transferId: string): Heard<TransferStanding> {
  const read = (text: string, status: number) => readTransfer(readAbout(text, status, 'transferencia'));
  return answerAbout(result, transferId, read, standingOf);
}

/** A word that nobody knows says nothing. */
function standingOf({ status, money, paymentReference }: TransferWire): TransferStanding | Unknown {
  const kind = transferMeaning(status);
  if (kind === 'assigned') return paymentReference ? { kind, money, paymentReference } : unreadable(200);
  return kind ? { kind, money } : unreadable(200);
}

const SAID: Record<TransferStanding['kind'], string> = {
  held: 'not assigned',
  assigned: 'assigned to a payment',
  returning: 'on its way back',
  returned: 'back with its sender',
  return_declined: 'not taken back by the bank of its sender',
};

/** The call had no effect, by how the transfer stands after it. */
function notDone(
  heard: Heard<TransferStanding>,
): TransferRefused | NotTaken | Exclude<TransferInquiry, TransferStanding> {
  switch (heard.kind) {
    case 'not_found':
    case 'unknown':
      return heard;
    case 'not_charged':
      return { kind: 'not_taken', detail: heard.detail };
    case 'invalid':
      return { kind: 'refused', detail: 'the processor does not accept the request' };
    default:
      return { kind: 'refused', detail: `the transfer is ${SAID[heard.kind]} there`, standing: heard };
  }
}
