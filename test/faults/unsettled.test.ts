// Suites that share a platform on which nothing is settled; the first of them counts what is there.
import './unsettled/crash';
import './unsettled/drain';
import './unsettled/payer';
