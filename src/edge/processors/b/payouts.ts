import type { OutgoingTransferCapability } from '../../../domain/connector';
import type { PayoutStanding, SendPayoutAnswer, Unknown } from '../../../domain/processor-answers';
import { answerAbout, type Heard, inquiry, unreadable } from '../answers';
import type { ProcessorHttp, ProcessorHttpResult } from '../http';
import { payoutMeaning, payoutReason } from './status';
import { type PayoutWire, payoutForm, readAbout, readPayout } from './wire';

const PATH = '/api/transferencias-emitidas';

/** The transfers that processor B sends for us: every call about one is answered with how it stands. */
export function payoutsOver(http: ProcessorHttp): OutgoingTransferCapability {
  return {
    send: async (request) => sendAnswer(about(await http.postForm(PATH, payoutForm(request)), request.reference)),
    inquire: async (reference) => inquiry(about(await http.get(`${PATH}/${encodeURIComponent(reference)}`), reference)),
  };
}

function about(result: ProcessorHttpResult, reference: string): Heard<PayoutStanding> {
  const read = (text: string, status: number) => readPayout(readAbout(text, status, 'transferencia_emitida'));
  return answerAbout(result, reference, read, standingOf);
}

/** A word that nobody knows says nothing. */
function standingOf({ id: processorReference, status, money, reason }: PayoutWire): PayoutStanding | Unknown {
  const kind = payoutMeaning(status);
  switch (kind) {
    case 'accepted':
    case 'settled':
      return { kind, processorReference, money };
    case 'returned':
      return { kind, processorReference, money, detail: payoutReason(reason) };
    case 'declined':
      return { kind, processorReference, detail: payoutReason(reason) };
    case undefined:
      return unreadable(200);
  }
}

function sendAnswer(heard: Heard<PayoutStanding>): SendPayoutAnswer {
  switch (heard.kind) {
    case 'invalid':
      return { kind: 'not_understood', detail: 'it does not accept the request' };
    case 'not_charged':
      return { kind: 'not_taken', detail: heard.detail };
    default:
      return heard;
  }
}
