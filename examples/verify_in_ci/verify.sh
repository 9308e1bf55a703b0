#!/bin/sh
# Verify every package in a folder, as a CI job does: exit 0 only if all of them are verified.
#   verify.sh PACKAGES ALLOWED_SIGNERS [DATASET]
# PACKAGES has one folder or archive per submission; ALLOWED_SIGNERS names whose keys you believe in. Exit codes and what
# they mean are in docs/verifying.md; with the data set at hand, answers are scored again and the audit is repeated.
set -eu
packages=$1 signers=$2 dataset=${3:-}
gaia verify --allowed-signers "$signers" ${dataset:+--dataset "$dataset"} "$packages"/*
