// Suites that share a platform that waits for nobody long; the last of them looks at the books that all have written.
import './impatient/topups';
import './impatient/processor';
