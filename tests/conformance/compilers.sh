# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts of this folder. Sets `cache`, `eigen` (flags) and `libraries`; defines
# compiler_works.
cache=$(command -v ccache || true)
read -ra eigen <<<"$(pkg-config --cflags eigen3 2>/dev/null || echo -I/usr/include/eigen3)"
eigen=("${eigen[@]/#-I/-isystem}")
libraries=(-lmpfr -lgmp)
echo '#include <flint/arb.h>' | "${CXX:-g++}" -x c++ -fsyntax-only - 2>/dev/null && libraries=(-lflint "${libraries[@]}") ||
  libraries=(-lflint-arb -lflint "${libraries[@]}")

compiler_works() { # folder, compiler, flags: it links a program, with its linker's plug-in
  local folder=$1
  shift
  echo 'int main() {}' | "$@" -x c++ - -o "$folder/link" 2>/dev/null
}
