#!/usr/bin/env bash
# Installs by apt what reads pictures of quotations, and the font in which tests draw them.
set -euo pipefail

whole() {
  command -v pdftoppm >/dev/null && [ -f /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] &&
    [ "$(tesseract --list-langs 2>/dev/null | grep -cxE 'eng|tur|ell|heb')" = 4 ]
}

whole || (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  tesseract-ocr tesseract-ocr-tur tesseract-ocr-ell tesseract-ocr-heb poppler-utils fonts-dejavu-core) >/dev/null 2>&1
whole
